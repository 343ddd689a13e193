import AcctCrypto
import Secrets
import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import PostgresStore
import SharedKeyring
import StrictJSON
import Testing

/// An engine's operator: reads and writes its objects, and has no key.
struct EngineOperator: Sendable {
  let store: SharedStore
  let root: String

  init(of fleet: Fleet) throws {
    store = try fleet.engine.store()
    root = "/acct/\(fleet.name)/"
  }

  func place(_ id: String) -> String { "\(root)a/\(id)" }

  /// The bytes of an account's object.
  func object(_ id: String) throws -> [UInt8] { try #require(try store.get(place(id)).object).bytes }

  /// The bytes of the keyring's header.
  func header() throws -> [UInt8] { try #require(try store.get("\(root)header").object).bytes }

  /// Puts bytes in the header's place.
  func put(header: [UInt8]) throws { try put(header, at: "\(root)header") }

  /// Puts bytes at an account's place, whatever is there.
  func put(_ bytes: [UInt8]?, _ id: String) throws { try put(bytes, at: place(id)) }

  func put(_ bytes: [UInt8]?, at key: String) throws {
    let version = try store.get(key).object?.version
    _ = try #require(try store.swap(key, bytes, version))
  }

  func end() { store.end() }

  /// Adds a key file to what opens the keyring, as a member can that has another one.
  func plant(keyFile planted: [UInt8], by key: [UInt8]) throws {
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    var header = try KeyringHeader(parsing: header())
    let epoch = try #require(header.key(openedBy: try KeyringHeader.key(ofFile: Secret(key))))
    var roster = try #require(header.roster(epoch))
    let publicKey = try KeyringHeader.key(ofFile: Secret(planted)).publicKey
    try header.add(publicKey, .keyFile, epoch)
    roster.shared.append(Roster.Shared(publicKey: publicKey, kind: .keyFile))
    roster.generation += 1
    try header.put(roster, epoch, entropy)
    try put(header: header.serialized())
  }

  /// `true` if a key file opens the keyring's header.
  func opens(by key: [UInt8]) throws -> Bool {
    try KeyringHeader(parsing: header()).key(openedBy: try KeyringHeader.key(ofFile: Secret(key))) != nil
  }
}

/// A machine of the fleet, or one that left and kept the key: writes into objects whatever it likes.
struct KeyHolder: Sendable {
  let engine: EngineOperator
  private let seal: Seal

  init(of fleet: Fleet) throws {
    engine = try EngineOperator(of: fleet)
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    let header = try engine.header()
    let seal = Seal(header: header, keyFile: Secret(fleet.key), entropy: entropy, check: { _ in nil })
    self.seal = try #require(seal)
  }

  /// The contents of an account's object.
  func contents(_ id: String) throws -> SharedObject {
    try seal.contents(try engine.object(id), at: engine.place(id))
  }

  /// The keys of the objects on the engine, and of those among them that its key opens.
  func objects() throws -> (all: [String], opened: [String]) {
    let objects = try ["a/", "n/"].flatMap { try engine.store.changes(engine.root + $0, 0).objects }
    let opened = objects.filter { object in (try? seal.open(object.bytes, at: object.key)) != nil }
    return (objects.map(\.key).sorted(), opened.map(\.key).sorted())
  }

  /// Seals contents at an account's place; they pass for later ones than those that are there.
  func plant(_ contents: SharedObject, _ id: String) throws {
    var contents = contents
    // An object of an earlier version of acct has none.
    if contents.generation > 0 { contents.generation += 1 }
    let place = engine.place(id)
    try engine.put(try seal.sealed(contents, at: place), id)
  }

  /// Seals bytes that are no contents of acct's.
  func plant(bytes: [UInt8], _ id: String) throws {
    try engine.put(try seal.seal(Secret(bytes), at: engine.place(id)), id)
  }
}

extension SharedObject {
  /// The same with a change made to its record.
  func changing(_ change: (inout JSONObject) -> Void) throws -> SharedObject {
    var changed = self
    var members = try #require(try JSON(parsing: record).objectValue)
    change(&members)
    changed.record = JSON.object(members).serialized()
    return changed
  }
}
