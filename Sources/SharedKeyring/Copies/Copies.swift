import AcctModel
import AcctPorts
import Glibc
import PrivateFiles
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
    guard let file = PendingFile(parsing: contents) else { throw unopenedAnswer(of: id) }
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
