import AcctEngine
import AcctModel
import AcctPorts

/// A finding of `doctor` about one subject; the CLI has the words for it.
struct Finding: Sendable {
  enum Severity: String, Sendable { case ok, warning, problem }

  var subject: Subject
  var isRepaired: Bool

  init(_ subject: Subject, isRepaired: Bool = false) {
    self.subject = subject
    self.isRepaired = isRepaired
  }

  /// The subject of a finding, with its state.
  enum Subject: Sendable {
    // The keyring.
    case keyringReady(Keyring.Kind)
    /// The vault is the keyring, and is still empty.
    case noVault
    /// There is no account, and no choice of a keyring.
    case keyringUndecided
    /// The file with the decision is missing or damaged.
    case keyringDecisionLost(found: Keyring.Kind?)
    /// `ACCT_KEYRING` names another keyring than the recorded choice.
    case keyringOverridden(by: Keyring.Kind, decided: Keyring.Kind)
    case keyring(KeyringFailure, Keyring.Kind)
    /// A part of the keyring is locked, which has the items of these accounts.
    case keyringPartLocked(String, accounts: [AccountName])
    case unknownKeyring(String)
    /// A shared keyring's engine is available, and has so many accounts.
    case sharing(Keyring.Kind, accounts: Int)
    /// Answers of servers for these accounts are still to be stored on the engine.
    case answersWait([String])
    /// This machine has copies of these accounts, and the engine does not have them.
    case copiesAlone([String])
    /// A change of the shared keyring's key has begun and not ended.
    case keyChangeBegun
    /// Means of opening the shared keyring that this machine does not know.
    case unknownMeans([SharedMeans])
    /// The shared keyring's list has so many entries twice.
    case doubledMembers(Int)
    /// An object of a shared keyring, by its account's identifier or its key, that can't be used.
    case damagedShared(String, SharedDamage)
    /// The shared keyring's objects of these accounts are older than versions that this machine has seen.
    case olderObjects([String])
    /// A move to another keyring was interrupted; the accounts are in the second one.
    case moveBegun(to: Keyring.Kind, Keyring.Kind)
    /// A move is done, but has not removed everything from the former keyring.
    case moveUnfinished(from: Keyring.Kind, Keyring.Kind)

    // Files and folders.
    case filesPrivate(count: Int)
    /// Files and folders that others can read.
    case readable([String])
    /// Files and folders that others can change, acct's folders with them, and the accounts that are not used for that.
    case writable([String], in: [String], accounts: [SkippedAccount])
    /// The same of files that the user may not read.
    case unreadable([String], in: [String], accounts: [SkippedAccount])
    /// Nothing can be written in a folder.
    case obstacle(FolderObstacle, folder: String)
    case foreign(path: String)
    case link(path: String)
    /// A folder on a file system that other machines may use, too.
    case remoteFolder(FileSystem, renews: Bool)
    case files(FilesFailure)

    // Accounts.
    case accountsReadable(count: Int)
    /// An account's file is not used.
    case skippedAccount(SkippedAccount)
    case activeGone(AccountID)
    case interruptedRenewal(AccountName, secondsAgo: Int64, wasAnswered: Bool)
    /// An account that only a new sign-in makes usable; the reason.
    case loginNeeded(EngineError)
    /// The certificate of an account's client ends in so many seconds.
    case certificateEnds(AccountName, inSeconds: Int64)
    /// The server ends the session of an account in so many seconds.
    case sessionEnds(AccountName, inSeconds: Int64)
    /// A replacement of credentials that was interrupted.
    case interruptedReplacement(AccountName)

    // Accounts and items.
    case itemsMatch
    /// Items whose account has no file; rebuilt under this name, if they were.
    case orphans(AccountID, rebuilt: AccountName?)
    case missing(ItemKind, of: AccountName)
    /// An item that exists and can't be used; the keyring's reason, if it gives one.
    case damagedItem(ItemKind, of: AccountName, reason: String?)
    case itemsUnknown(KeyringFailure, Keyring.Kind)

    // Keys in devices.
    case hardwareKeysReady(count: Int)
    /// An account's key can't be used now.
    case hardwareKey(HardwareKeyFailure, KeyStorage, of: AccountName)

    // Files that killed processes left, and expired hints.
    case tidy
    case temporaryFiles(count: Int)
    /// Folders in memory with secrets, which the check itself has deleted.
    case memoryFolders(count: Int)
    case locks(count: Int)
    case hints(count: Int)

    // The clock.
    case clockRight(Origin)
    case clockOff(seconds: Int64, Origin)
    case noTime(Origin, HTTPFailure?)

    // The TPM of a sealed vault, and the kernel's means to protect a long-running process.
    case sealOpens(TPMAddress)
    case sealFails(HardwareKeyFailure, TPMAddress)
    case proxyMemory(isSecret: Bool)
    case proxyFence(version: Int?)
    /// A proxy for all accounts would be without a fence, though the kernel has one.
    case proxyUnfenced(ProxyFence.Obstacle)

    /// A check could not be made.
    case failed(EngineError)
  }

  /// `true` for a problem that is still there.
  var needsPerson: Bool { severity == .problem && !isRepaired }

  /// `true` for a finding that others can change this file or folder.
  func isWritable(_ path: String) -> Bool {
    if case .writable(let paths, _, _) = subject { paths.contains(path) } else { false }
  }

  var severity: Severity {
    switch subject {
    case .keyringReady, .sharing, .noVault, .keyringUndecided, .filesPrivate, .accountsReadable, .itemsMatch,
      .hardwareKeysReady, .tidy, .hints, .clockRight, .sealOpens, .proxyMemory, .proxyFence, .proxyUnfenced:
      .ok
    case .keyringOverridden, .keyringPartLocked, .answersWait, .copiesAlone, .keyChangeBegun, .unknownMeans,
      .doubledMembers, .moveBegun, .moveUnfinished, .remoteFolder, .interruptedRenewal, .certificateEnds, .sessionEnds,
      .interruptedReplacement, .missing(.refreshToken, _), .itemsUnknown,
      .temporaryFiles, .memoryFolders, .locks,
      .noTime, .sealFails, .hardwareKey(.absent, _, _), .hardwareKey(.busy, _, _):
      .warning
    case .keyringDecisionLost, .damagedShared, .olderObjects, .keyring, .unknownKeyring, .readable, .writable,
      .unreadable, .obstacle, .foreign,
      .link, .files, .skippedAccount, .activeGone, .loginNeeded, .orphans, .missing, .damagedItem, .hardwareKey,
      .clockOff, .failed:
      .problem
    }
  }
}
