import AcctModel
package import AcctPorts
package import FleetPorts
import Glibc
import PrivateFiles
import StrictJSON
import Synchronization
import Vault

/// The files of a shared keyring on this machine: ciphertext, and the known state of the engine.
struct Copies: Sendable {
  let folder: PrivateFolder

  static let lockName = ".lock"
  /// In bytes: two objects, the credentials of earlier answers, and their heads.
  static let sizeLimit = 2 * Seal.sizeLimit + (1 << 18)

  /// Answers of servers that are still to be stored.
  var pending: PrivateFolder { folder.subfolder("pending") }

  /// Answers that no key opens any more.
  ///
  /// They are kept so that a person can look into them, and are never read again.
  var unopened: PrivateFolder { folder.subfolder("unopened") }

  /// The copy of an account's object; `nil` if there is none that can be used.
  func copy(of id: AccountID) throws(KeyringFailure) -> CopyFile? {
    try read(id.description, in: folder).flatMap(CopyFile.init(parsing:))
  }

  /// Keeps an object as the copy, unless the copy is a later one.
  ///
  /// A failure is not the caller's: the engine has the object, and the next read mends the copy.
  func keep(_ object: CopyFile, of id: AccountID) {
    try? alone { () throws(KeyringFailure) in
      if let copy = try copy(of: id), copy.isAsNew(as: object) { return }
      try replace(object, of: id)
    }
  }

  /// Puts a copy in the place of any other one; under ``alone(_:)``.
  func replace(_ object: CopyFile, of id: AccountID) throws(KeyringFailure) {
    try write(id.description, object.serialized(), in: folder, surviving: false)
  }

  /// Forgets the copy of an account that is no more.
  func remove(_ id: AccountID) throws(KeyringFailure) { try remove(id.description, in: folder) }

  /// The accounts that there are copies of.
  func accounts() throws(KeyringFailure) -> [AccountID] { try accounts(in: folder) }

  /// The answer that is still to be stored for an account.
  ///
  /// - Throws: ``KeyringFailure/answerUnopened(path:)`` for a file that is damaged: it is not cleared away.
  func pendingAnswer(of id: AccountID) throws(KeyringFailure) -> PendingFile? {
    guard let contents = try read(id.description, in: pending) else { return nil }
    guard let file = PendingFile(parsing: contents) else {
      throw PendingFile.isNewer(contents) ? .newer(part: pending.path(of: id.description)) : unopenedAnswer(of: id)
    }
    return file
  }

  /// The pending answer of an account; `nil` also for a file that is damaged.
  func readablePending(of id: AccountID) throws(KeyringFailure) -> PendingFile? {
    try read(id.description, in: pending).flatMap(PendingFile.init(parsing:))
  }

  func unopenedAnswer(of id: AccountID) -> KeyringFailure { .answerUnopened(path: pending.path(of: id.description)) }

  /// Moves an answer that no key opens to a folder that no call reads; returns its path there.
  func setAside(_ id: AccountID) throws(KeyringFailure) -> String {
    guard let contents = try read(id.description, in: pending) else { throw unopenedAnswer(of: id) }
    var name = id.description
    var number = 1
    while try read(name, in: unopened) != nil {
      number += 1
      name = "\(id)-\(number)"
    }
    try write(name, contents, in: unopened, surviving: true)
    try removePending(id)
    return unopened.path(of: name)
  }

  /// Keeps an answer until it is stored, through a loss of power too.
  func keepPending(_ file: PendingFile, of id: AccountID) throws(KeyringFailure) {
    try write(id.description, file.serialized(), in: pending, surviving: true)
  }

  func removePending(_ id: AccountID) throws(KeyringFailure) { try remove(id.description, in: pending) }

  /// The accounts for which an answer is still to be stored.
  func pendingAccounts() throws(KeyringFailure) -> [AccountID] { try accounts(in: pending) }

  /// Excludes other processes of this machine from the copies, for a moment.
  func alone<Result>(_ body: () throws(KeyringFailure) -> Result) throws(KeyringFailure) -> Result {
    // At most some seconds, by pauses of a millisecond: it is held while files are written, never across a network.
    for _ in 0..<5_000 {
      let lock: FolderLock?
      do { lock = try folder.tryLock(Self.lockName) } catch { throw KeyringFailure(error) }
      if let lock {
        defer { lock.release() }
        return try body()
      }
      usleep(1_000)
    }
    throw .timedOut
  }
}

extension Copies {
  func read(_ name: String, in folder: PrivateFolder) throws(KeyringFailure) -> [UInt8]? {
    do { return try folder.read(name, limit: Self.sizeLimit) } catch { throw KeyringFailure(error) }
  }

  func write(_ name: String, _ contents: [UInt8], in folder: PrivateFolder, surviving: Bool) throws(KeyringFailure) {
    do { try folder.replace(name, contents.span, surviving: surviving) } catch { throw KeyringFailure(error) }
  }

  func remove(_ name: String, in folder: PrivateFolder) throws(KeyringFailure) {
    do { try folder.remove(name) } catch { throw KeyringFailure(error) }
  }

  func accounts(in folder: PrivateFolder) throws(KeyringFailure) -> [AccountID] {
    do { return try folder.names().compactMap { try? AccountID($0) } } catch { throw KeyringFailure(error) }
  }

  /// The copies of all accounts, read on several threads where there are hundreds.
  func all() throws(KeyringFailure) -> [AccountID: CopyFile] {
    let found = Mutex<[AccountID: CopyFile]>([:])
    do {
      try folder.readEach(limit: Self.sizeLimit, { (try? AccountID($0)) != nil }) { files in
        let copies = files.compactMap { file -> (AccountID, CopyFile)? in
          guard let id = try? AccountID(file.name), case .success(let contents) = file.contents,
            let copy = CopyFile(parsing: contents)
          else { return nil }
          return (id, copy)
        }
        found.withLock { found in for (id, copy) in copies { found[id] = copy } }
        return true
      }
    } catch {
      throw KeyringFailure(error)
    }
    return found.withLock { $0 }
  }
}

/// The removals that this machine knows of: the generation of each one's trace, in a file of its own, and behind it the
/// trace as the engine has it.
///
/// They outlast the copies: an object that is older than its account's removal was put back.
extension Copies {
  private static let magic = Array("acct-removed".utf8) + [1]

  private static let headCount = magic.count + 8

  private var removed: PrivateFolder { folder.subfolder("removed") }

  /// The generation of the trace that an account's removal has left; `nil` if it is not known to be removed.
  func removal(of id: AccountID) throws(KeyringFailure) -> Int64? {
    guard let contents = try read(id.description, in: removed),
      contents.count >= Self.headCount, contents.starts(with: Self.magic)
    else { return nil }
    let number = contents.span.extracting(Self.magic.count..<Self.headCount).bigEndian64
    guard let generation = Int64(exactly: number), generation > 0 else { return nil }
    return min(generation, SharedObject.lastGeneration)
  }

  /// The trace of a removal, sealed; `nil` if an earlier version of acct noted it without.
  func trace(of id: AccountID) throws(KeyringFailure) -> [UInt8]? {
    guard let contents = try read(id.description, in: removed), contents.count > Self.headCount,
      contents.starts(with: Self.magic)
    else { return nil }
    return Array(contents[Self.headCount...])
  }

  /// Notes a removal, and forgets the copy; under ``alone(_:)``.
  ///
  /// The generation is the trace's, 0 if an earlier version of acct has left none.
  func noteRemoval(of id: AccountID, _ generation: Int64, _ trace: [UInt8]) throws(KeyringFailure) {
    if generation > 0, try removal(of: id) ?? 0 < generation {
      var contents = Self.magic
      contents.append(bigEndian: generation)
      contents += trace
      try write(id.description, contents, in: removed, surviving: true)
    }
    // One that was made again since is a later one.
    if let copy = try copy(of: id), generation > 0, copy.generation > generation { return }
    try remove(id)
  }

  /// The accounts that are known to have been removed, some of which may be there again.
  func removals() throws(KeyringFailure) -> [AccountID] { try accounts(in: removed) }

  /// Forgets all removals, as where another state of the engine is accepted.
  func forgetRemovals() throws(KeyringFailure) {
    for id in try removals() { try remove(id.description, in: removed) }
  }

  /// The copy of an account, and the highest generation that this machine has seen of it.
  func seen(of id: AccountID) throws(KeyringFailure) -> (copy: CopyFile?, SeenGeneration) {
    let copy = try copy(of: id)
    let removal = try removal(of: id) ?? 0
    guard let copy, copy.generation >= removal else { return (copy, SeenGeneration(removal, isRemoval: true)) }
    return (copy, SeenGeneration(copy.generation))
  }
}

/// This machine's record of the keyring that its copies are of: its name, and the last known standing.
package struct KnownKeyring: Equatable, Sendable {
  package var kind: Keyring.Kind
  /// The keyring's name on the engine.
  package var name: String
  package var standing: SharedStore.Standing
  /// The highest version of which all copies are.
  package var cursor: Int64

  static let fileName = "standing"

  package init(kind: Keyring.Kind, name: String, standing: SharedStore.Standing, cursor: Int64) {
    self.kind = kind
    self.name = name
    self.standing = standing
    self.cursor = cursor
  }

  /// `true` if settings lead to this keyring.
  func isAt(_ settings: SharedKeyringSettings) -> Bool { kind == settings.kind && name == settings.name }
}

extension KnownKeyring {
  /// The file's contents.
  package func serialized() -> [UInt8] {
    JSON.serialized([
      "format": "acct-standing",
      "engine": .string(kind.rawValue),
      "name": .string(name),
      "identifier": .string(standing.identifier),
      "revision": JSON(standing.revision),
      "cursor": JSON(cursor),
    ]) + [UInt8(ascii: "\n")]
  }

  /// Reads the file's contents; `nil` for anything else.
  package init?(parsing contents: [UInt8]) {
    guard let json = try? JSON(parsing: contents, maximumBytes: 65_536), let members = json.objectValue,
      members["format"]?.stringValue == "acct-standing",
      let kind = members["engine"]?.stringValue.flatMap(Keyring.Kind.init(rawValue:)),
      let name = members["name"]?.stringValue, let identifier = members["identifier"]?.stringValue,
      let revision = members["revision"]?.numberValue?.integer, let cursor = members["cursor"]?.numberValue?.integer,
      cursor >= 0
    else { return nil }
    self.init(
      kind: kind,
      name: name,
      standing: SharedStore.Standing(identifier: identifier, revision: revision),
      cursor: cursor
    )
  }
}

extension Copies {
  /// The record of the engine; `nil` before its first answer.
  func known() throws(KeyringFailure) -> KnownKeyring? {
    guard let contents = try read(KnownKeyring.fileName, in: folder) else { return nil }
    guard let known = KnownKeyring(parsing: contents) else {
      throw .failed(reason: "\(folder.path(of: KnownKeyring.fileName)) is damaged")
    }
    return known
  }

  /// Keeps the standing of an answer, if it is later than the known one.
  ///
  /// A failure is not the caller's: an older record protects less well, and no copy is lost by it.
  func learn(_ standing: SharedStore.Standing, cursor: Int64? = nil) {
    try? alone { () throws(KeyringFailure) in
      guard var known = try known(), known.standing.identifier == standing.identifier else { return }
      let before = known
      known.standing.revision = max(known.standing.revision, standing.revision)
      known.cursor = max(known.cursor, cursor ?? 0)
      if known != before { try keep(known) }
    }
  }

  /// Writes the record.
  func keep(_ known: KnownKeyring) throws(KeyringFailure) {
    try write(KnownKeyring.fileName, known.serialized(), in: folder, surviving: true)
  }
}

/// The means of opening the keyring that this machine knows by a command that was run on it: a machine that it approved, a
/// passphrase that it set, and each means that a person has named here when the key changed.
///
/// No other member can write the file. It has identifiers and names, which are no secrets.
struct KnownMeans: Equatable, Sendable {
  /// The names that machines had then, by identifier; empty for a passphrase or a key file.
  var names: [String: String] = [:]
  /// The means that a change on this machine has dropped: no former signature brings them back without a question.
  var dropped: Set<String> = []

  static let fileName = "means"
  private static let sizeLimit = 1 << 18

  var ids: Set<String> { Set(names.keys) }

  func serialized() -> [UInt8] {
    let known = names.sorted { $0.key < $1.key }.map { JSON.array([.string($0.key), .string($0.value)]) }
    return JSON.serialized([
      "format": "acct-means",
      "known": .array(known),
      "dropped": .array(dropped.sorted().map(JSON.string)),
    ]) + [UInt8(ascii: "\n")]
  }

  init(names: [String: String] = [:]) { self.names = names }

  /// Reads the file's contents; `nil` for anything else.
  init?(parsing contents: [UInt8]) {
    guard let members = (try? JSON(parsing: contents, maximumBytes: Self.sizeLimit))?.objectValue,
      members["format"]?.stringValue == "acct-means", let known = members["known"]?.arrayValue,
      let dropped = members["dropped"]?.arrayValue
    else { return nil }
    self.dropped = Set(dropped.compactMap(\.stringValue))
    for entry in known {
      guard let parts = entry.arrayValue, parts.count == 2, let id = parts[0].stringValue,
        let name = parts[1].stringValue
      else { return nil }
      names[id] = name
    }
  }
}

extension Copies {
  /// The means that this machine knows; a file that is damaged knows none, so that a person is asked again.
  func knownMeans() throws(KeyringFailure) -> KnownMeans {
    try read(KnownMeans.fileName, in: folder).flatMap(KnownMeans.init(parsing:)) ?? KnownMeans()
  }

  /// Notes that a person has approved or named these means on this machine, or has dropped others.
  func remember(_ means: [String: String], dropping dropped: [String] = []) throws(KeyringFailure) {
    guard !means.isEmpty || !dropped.isEmpty else { return }
    try alone { () throws(KeyringFailure) in
      let before = try knownMeans()
      var known = before
      known.names.merge(means) { $1 }
      for id in dropped { known.names[id] = nil }
      known.dropped = known.dropped.subtracting(means.keys).union(dropped)
      if known != before { try write(KnownMeans.fileName, known.serialized(), in: folder, surviving: true) }
    }
  }
}
