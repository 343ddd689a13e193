package import AcctModel

/// The files that acct keeps: hints, never a secret.
///
/// They are named by their contents; the adapter chooses their paths. Every replacement is atomic, and nothing is read
/// or written through a link that another user can plant.
package struct Files: Sendable {
  /// Returns a file's bytes, or `nil` if there is none.
  package var read: @Sendable (StoredFile) throws(FilesFailure) -> [UInt8]?
  /// Replaces a file atomically and durably; one that ``StoredFile/mayBeLost``, only atomically.
  package var replace: @Sendable (StoredFile, [UInt8]) throws(FilesFailure) -> Void
  /// Removes a file; one that is not there is no error.
  package var remove: @Sendable (StoredFile) throws(FilesFailure) -> Void
  /// Lists the accounts that have a file, in no order.
  package var accounts: @Sendable () throws(FilesFailure) -> [AccountID]
  /// Reads the accounts' files, some at a time and in no order, until the body has seen enough.
  ///
  /// The body returns `true` to go on. If there are hundreds of files, several threads read them: it may then be
  /// called by several at once, and a few times more after it returned `false`.
  package var eachAccount: @Sendable (SomeAccounts) throws(FilesFailure) -> Void
  /// Returns the path of a file, what it contains even if it is not safe to use, for a message about it (nothing if it
  /// can't be read), and whether it is a file of the user's, which no more than its mode keeps from use.
  package var inspect: @Sendable (StoredFile) -> (path: String, text: [UInt8], isOwn: Bool)
  /// Takes a lock across processes, waiting at most `seconds` for it.
  package var lock: @Sendable (Lock, _ seconds: Int) async throws(FilesFailure) -> HeldLock
  /// Returns the file system that one of acct's folders is on, or will be; `nil` if nothing is there yet.
  package var fileSystem: @Sendable (FileFolder) throws(FilesFailure) -> FileSystem?
  /// Returns a mark that differs from an earlier one if the files of accounts and keyrings may have changed since,
  /// without reading them; `nil` where that can't be told.
  ///
  /// A change counts before its system call returns, whichever process makes it. The first call begins to watch;
  /// each later one costs one system call while nothing changes.
  package var changes: @Sendable () -> ChangeMark?

  package init(
    read: @escaping @Sendable (StoredFile) throws(FilesFailure) -> [UInt8]?,
    replace: @escaping @Sendable (StoredFile, [UInt8]) throws(FilesFailure) -> Void,
    remove: @escaping @Sendable (StoredFile) throws(FilesFailure) -> Void,
    accounts: @escaping @Sendable () throws(FilesFailure) -> [AccountID],
    eachAccount: @escaping @Sendable (SomeAccounts) throws(FilesFailure) -> Void,
    inspect: @escaping @Sendable (StoredFile) -> (path: String, text: [UInt8], isOwn: Bool),
    lock: @escaping @Sendable (Lock, _ seconds: Int) async throws(FilesFailure) -> HeldLock,
    fileSystem:
      @escaping @Sendable (FileFolder) throws(FilesFailure) -> FileSystem? = { _ in nil },
    changes: @escaping @Sendable () -> ChangeMark? = { nil }
  ) {
    self.read = read
    self.replace = replace
    self.remove = remove
    self.accounts = accounts
    self.eachAccount = eachAccount
    self.inspect = inspect
    self.lock = lock
    self.fileSystem = fileSystem
    self.changes = changes
  }

  /// Takes the contents of accounts' files, or the reasons why they can't be read; returns `false` to stop.
  package typealias SomeAccounts = @Sendable ([(id: AccountID, contents: Result<[UInt8], FilesFailure>)]) -> Bool
}

/// A file, by its contents.
package enum StoredFile: Hashable, Sendable {
  /// An account without its secrets.
  case account(AccountID)
  /// The active account and the one before it.
  case active
  /// An empty file: there may be accounts with places.
  case places
  /// This machine's identifier, for guest sessions alone.
  case deviceID
  /// The chosen keyring.
  case keyringDecision
  /// The last DPoP nonce of an origin.
  case nonce(Origin)
  /// The last lookup of a DID.
  case identity(DID)
  /// The last limits from an account's servers.
  case limits(AccountID)
  /// The accounts that `.acct` files have chosen, by file.
  case directories
  /// The clients that acct is registered as, and those that the user has named.
  case clients
  /// The changes of other programs' settings, to be undone.
  case setups
  /// The origins that were refused, for the histories of accounts.
  case refusals
  /// The numbers of this machine's renewals.
  case renewals
  /// The last accounts that were removed, with their histories.
  case removals
  /// The last uses of an account.
  case uses(AccountID)
  /// An empty file: a use of an account is among them.
  case useMark(AccountID, String)

  /// `true` for an empty file, which is there or not.
  package var isMark: Bool {
    switch self {
    case .places, .useMark: true
    default: false
    }
  }

  /// `true` for a file that a loss of power may take away.
  package var mayBeLost: Bool {
    switch self {
    case .renewals, .uses, .useMark: true
    default: false
    }
  }
}

/// A lock, by the data that it protects.
package enum Lock: Hashable, Sendable {
  /// One account's credentials; held across its network calls.
  case account(AccountID)
  /// Names and the active account; held across a network call only while a shared keyring takes a new name.
  case book
  /// One account's limits; never held across a network call.
  case limits(AccountID)
  /// This machine's identifier while it is made.
  case deviceID
  /// The clients that acct is registered as; held while one is being registered.
  case clients
  /// The changes of other programs' settings.
  case setups
  /// The numbers of this machine's renewals; never held across a network call.
  case renewals
  /// The uses of accounts; never held across a network call.
  case uses
}

/// A lock that is held until it is released; the kernel frees it when the process dies.
package struct HeldLock: Sendable {
  /// Releases the lock.
  package let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }
}

extension Files {
  /// Does `body` while holding `lock`.
  ///
  /// - Parameters:
  ///   - lock: The lock to hold.
  ///   - seconds: The longest wait for another process.
  ///   - failure: Turns a lock that could not be taken into the caller's error.
  ///   - body: The work to do meanwhile.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or what `failure` makes of a lock that could not be taken.
  package func withLock<Result, Failure: Error>(
    _ lock: Lock,
    waiting seconds: Int,
    failure: (FilesFailure) -> Failure,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let held: HeldLock
    do { held = try await self.lock(lock, seconds) } catch { throw failure(error) }
    defer { held.release() }
    return try await body()
  }
}

/// Why a file could not be used.
package enum FilesFailure: Error, Equatable, Sendable {
  /// The system's reason, such as "no space left on device", and the place.
  case failed(path: String, reason: String)
  /// The place belongs to another user, is writable by others, or is a link.
  case unsafe(path: String, reason: String)
  /// A later version of acct wrote the file: it is neither used nor replaced.
  case newer(path: String)
  /// Another process held the lock for too long.
  case busy
}

/// A moment in the history of something that others may change.
///
/// Two that are equal show that nothing has changed from the first to the second. Two that differ show nothing.
package struct ChangeMark: Hashable, Sendable {
  private let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}

/// The state of acct's folders themselves, for checking and repairing them.
package struct FolderMaintenance: Sendable {
  /// Lists everything in acct's folders, and the folders, in no order; it trusts nothing that it finds.
  package var survey: @Sendable () throws(FilesFailure) -> [SurveyedFile]
  /// Removes the permissions of the group and others on an own file or folder.
  package var close: @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  /// Removes a file, if it is still the one that was surveyed.
  package var discard: @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  /// Deletes the folders in memory that dead processes have left, with the secrets in them, and returns their number.
  package var sweep: @Sendable () -> Int

  /// The paths of the folders that have all the others, which may be missing.
  package var roots: [String]

  /// Returns why nothing can be written in a folder, or in the nearest one above it where it is missing, as far as its
  /// file system is the reason, and that file system; `nil` if it is none.
  package var obstacle: @Sendable (_ folder: String) -> (FolderObstacle, device: UInt)?

  package init(
    survey: @escaping @Sendable () throws(FilesFailure) -> [SurveyedFile],
    close: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void,
    discard: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void,
    sweep: @escaping @Sendable () -> Int,
    roots: [String] = [],
    obstacle: @escaping @Sendable (_ folder: String) -> (FolderObstacle, device: UInt)? = { _ in nil }
  ) {
    self.survey = survey
    self.close = close
    self.discard = discard
    self.sweep = sweep
    self.roots = roots
    self.obstacle = obstacle
  }
}

/// Why nothing can be written in a folder.
package enum FolderObstacle: Hashable, Sendable {
  /// Its mode does not let its owner write.
  case mode
  /// Its file system is mounted read-only.
  case readOnly
  /// Less than a megabyte is left, or no file more.
  case full
}

/// One file or folder as it was found; a link is not followed.
package struct SurveyedFile: Hashable, Sendable {
  package var path: String
  package var role: Role
  package var kind: Kind
  /// The permission bits.
  package var mode: UInt32
  package var isOwn: Bool
  package var modifiedAt: Timestamp

  package init(path: String, role: Role, kind: Kind, mode: UInt32, isOwn: Bool, modifiedAt: Timestamp) {
    self.path = path
    self.role = role
    self.kind = kind
    self.mode = mode
    self.isOwn = isOwn
    self.modifiedAt = modifiedAt
  }

  package enum Kind: Sendable { case regular, folder, link, other }

  /// Its purpose.
  package enum Role: Hashable, Sendable {
    /// A file while it is being written, or the rest of a process that was killed meanwhile.
    case temporary
    /// A nonce, or a lookup of a DID: valid for minutes.
    case hint
    /// The file of a lock, held or left behind.
    case lock(Lock)
    case other
  }
}

/// A folder of acct's, by its contents.
package enum FileFolder: Hashable, Sendable, CaseIterable {
  /// The locks that keep renewals apart.
  case locks
  /// Accounts, the vault, a shared keyring's copies.
  case data
}

/// The file system that a folder is on.
package struct FileSystem: Equatable, Sendable {
  /// The folder, for people.
  package var path: String
  /// The system's name for it, such as `nfs` or `fuse.sshfs`.
  package var name: String
  package var reach: Reach

  package init(path: String, name: String, reach: Reach) {
    self.path = path
    self.name = name
    self.reach = reach
  }

  /// The set of processes that its locks keep apart.
  package enum Reach: Sendable {
    /// It belongs to this machine: a lock keeps all of its processes apart.
    case machine
    /// Other machines may use the same folder, and the file system has locks for all of them.
    case network
    /// A program implements it, such as sshfs, and may grant two machines one lock.
    case program
  }
}
