import AcctCrypto
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Testing

/// A member of a fleet that writes the header's list by hand, as one that is about to be removed may do.
struct Planter {
  let engine: InMemoryStore
  /// The private key of a recipient: that of the fleet's key file, or of a machine.
  let key: P256PrivateKey

  static let header = "/acct/main/header"

  init(_ fleet: Fleet) throws {
    self.init(fleet.engine, try KeyringHeader.key(ofFile: Secret([UInt8](repeating: 0x5A, count: 32))))
  }

  init(_ engine: InMemoryStore, _ key: P256PrivateKey) {
    self.engine = engine
    self.key = key
  }

  private static let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

  /// Changes the list and what the header opens to, and puts it on the engine.
  func edit(_ change: (inout KeyringHeader, inout Roster, EpochKey) throws -> Void) throws {
    var header = try KeyringHeader(parsing: try #require(engine.objects[Self.header]?.bytes))
    let key = try #require(header.key(openedBy: key))
    var roster = try #require(header.roster(key))
    try change(&header, &roster, key)
    roster.generation += 1
    try header.put(roster, key, Self.entropy)
    engine.put(header.serialized(), at: Self.header)
  }

  /// Adds a key file that no one else has; returns its private key.
  @discardableResult
  func plantKeyFile(_ vouched: (inout Roster.Shared, KeyringHeader) throws -> Void = { _, _ in }) throws
    -> P256PrivateKey
  {
    let planted = try P256PrivateKey.generate()
    try edit { header, roster, key in
      var entry = Roster.Shared(publicKey: planted.publicKey, kind: .keyFile)
      try vouched(&entry, header)
      try header.add(planted.publicKey, .keyFile, key)
      roster.shared.append(entry)
    }
    return planted
  }

  /// Adds a machine; returns its private key.
  @discardableResult
  func plantMachine(
    _ name: String,
    _ planted: P256PrivateKey? = nil,
    _ vouched: (inout Roster.Member, KeyringHeader) throws -> Void = { _, _ in }
  ) throws -> P256PrivateKey {
    let planted = if let planted { planted } else { try P256PrivateKey.generate() }
    try edit { header, roster, key in
      var entry = Roster.Member(
        publicKey: planted.publicKey,
        name: name,
        since: 1_800_000_000,
        version: "0.0",
        request: "",
        by: "here"
      )
      try vouched(&entry, header)
      try header.add(planted.publicKey, .machine, key)
      roster.machines.append(entry)
    }
    return planted
  }

  /// `true` if a private key opens the header as it is on the engine.
  func opens(_ key: P256PrivateKey) throws -> Bool {
    try KeyringHeader(parsing: try #require(engine.objects[Self.header]?.bytes)).key(openedBy: key) != nil
  }
}

extension P256PrivateKey {
  /// This key's voucher for a means.
  func voucher(_ act: Voucher.Act, _ keyring: [UInt8], means: String, name: String = "") throws -> Voucher {
    let message = Voucher.message(act, keyring, means: means, name: name, at: 1_800_000_000)
    return Voucher(
      act: act,
      machine: KeyringHeader.id(of: publicKey),
      at: 1_800_000_000,
      signature: try sign(message.span)
    )
  }
}
