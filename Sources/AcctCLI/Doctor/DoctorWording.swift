import AcctEngine
import AcctModel
import AcctPorts

/// A finding's code for scripts, and its words for people.
struct DoctorWording {
  let code: String
  let message: String
  /// The way to repair it.
  var fix: String?
  /// The next step once it is repaired.
  var next: String?

  init(_ code: String, _ message: String, fix: String? = nil, next: String? = nil) {
    self.code = code
    self.message = message
    self.fix = fix
    self.next = next
  }

  init(_ subject: Finding.Subject) {
    switch subject {
    case .keyringReady, .noVault, .keyringUndecided, .keyringDecisionLost, .keyringOverridden,
      .keyring, .keyringPartLocked, .unknownKeyring:
      self.init(keyring: subject)
    case .sharing, .answersWait, .copiesAlone, .keyChangeBegun, .unknownMeans, .doubledMembers, .damagedShared,
      .olderObjects, .moveBegun,
      .moveUnfinished, .remoteFolder:
      self.init(sharing: subject)
    case .filesPrivate, .readable, .writable, .unreadable, .obstacle, .foreign, .link, .files: self.init(files: subject)
    case .accountsReadable, .skippedAccount, .activeGone, .interruptedRenewal, .interruptedReplacement, .itemsMatch,
      .orphans, .missing, .damagedItem, .itemsUnknown:
      self.init(accounts: subject)
    case .hardwareKeysReady(let count): self.init("hardwareKeys", "the keys in devices can be used (\(count))")
    case .hardwareKey(let failure, let storage, let name):
      let errorMessage = ErrorMessage(failure, storage).naming(name)
      self.init(errorMessage.code, "\(name): \(errorMessage.text)", fix: errorMessage.hint)
    case .sealOpens, .sealFails, .proxyMemory, .proxyFence, .proxyUnfenced: self.init(protection: subject)
    case .tidy: self.init("leftovers", "nothing was left behind")
    case .temporaryFiles(let count):
      self.init(
        "temporaryFiles",
        "\(count) half-written \(count == 1 ? "file" : "files") of processes that were killed",
        fix: repair
      )
    case .memoryFolders(let count):
      self.init(
        "secretFiles",
        "\(count) \(count == 1 ? "folder" : "folders") with secrets of processes that were killed"
      )
    case .locks(let count):
      self.init(
        "locks",
        "\(count) lock \(count == 1 ? "file" : "files") that no process seems to hold; they do no harm",
        fix: repair
      )
    case .hints(let count): self.init("hints", "\(count) outdated \(count == 1 ? "hint" : "hints"), which do no harm")
    case .clockRight(let origin): self.init("clock", "the clock agrees with that of \(origin)")
    case .clockOff(let seconds, let origin):
      self.init(
        "clockOff",
        "the clock is \(duration(abs(seconds))) " + "\(seconds > 0 ? "behind" : "ahead of") that of \(origin)",
        fix: "set the clock, or let it be set: `timedatectl set-ntp true`"
      )
    case .noTime(let origin, let failure):
      let reason = failure.map { ": \(ErrorMessage(.network(.http($0, origin))).text)" } ?? ""
      self.init("noTime", "\(origin) does not report its time\(reason)")
    case .certificateEnds(let name, let seconds):
      self.init(
        "certificateEnds",
        "the client certificate of \(name) ends in \(duration(seconds))",
        fix: "with a new one, `\(loginLine(name, certificateOptions))`"
      )
    case .sessionEnds(let name, let seconds):
      self.init("sessionEnds", "the session of \(name) ends in \(duration(seconds))", fix: loginHint(name))
    case .loginNeeded(let error), .failed(let error):
      let errorMessage = ErrorMessage(error)
      self.init(errorMessage.code, errorMessage.text, fix: errorMessage.hint)
    }
  }
}

/// The command that repairs most findings.
private let repair = "`acct doctor --repair`"

extension DoctorWording {
  private init(keyring subject: Finding.Subject) {
    switch subject {
    case .keyringReady(let kind): self.init("keyring", "the keyring (\(kind.rawValue)) is available and unlocked")
    case .noVault: self.init("keyring", "there is no vault yet; the first `acct add` creates it")
    case .keyringDecisionLost(let found?):
      self.init(
        "keyringDecision",
        "no record says which keyring has the accounts; it is \(found.rawValue)",
        fix: repair
      )
    case .keyringDecisionLost:
      self.init(
        "keyringDecision",
        "no record says which keyring has the accounts, and none lists them",
        fix: "unlock the keyring, or set ACCT_KEYRING to secret-service or vault"
      )
    case .keyringOverridden(let kind, let decided):
      self.init(
        "keyringOverridden",
        "ACCT_KEYRING says \(kind.rawValue), and accounts were added to \(decided.rawValue)",
        fix: "unset ACCT_KEYRING"
      )
    case .keyring(let failure, let kind):
      let errorMessage = ErrorMessage(failure, kind)
      self.init(errorMessage.code, errorMessage.text, fix: errorMessage.hint)
    case .keyringPartLocked(let part, let accounts):
      let names = accounts.map(\.description).joined(separator: ", ")
      self.init(
        "keyringPartLocked",
        "the collection \(printable(part)) of the keyring is locked, which has the items of \(names)",
        fix: "`acct keyring unlock` on its desktop; if its password is lost: "
          + accounts.map { loginHint($0) }.joined(separator: ", ")
      )
    case .unknownKeyring(let text):
      let errorMessage = ErrorMessage(.keyring(.unknown(text)))
      self.init("keyringUnknown", errorMessage.text, fix: errorMessage.hint)
    default: self.init("keyring", "no keyring has been chosen yet; the first `acct add` chooses one")
    }
  }

  private init(sharing subject: Finding.Subject) {
    switch subject {
    case .answersWait(let names):
      self.init(
        "answersWait",
        "answers of servers for \(names.joined(separator: ", ")) wait on this machine for the shared keyring",
        fix: "`acct refresh NAME` stores one as soon as the engine can be reached"
      )
    case .copiesAlone(let names):
      self.init(
        "copiesAlone",
        "this machine has copies of \(names.joined(separator: ", ")), and the engine has no such accounts",
        fix: "`acct keyring move vault` keeps them here; `acct keyring trust` deletes the copies"
      )
    case .keyChangeBegun:
      self.init(
        "keyChangeInterrupted",
        "a change of the shared keyring's key was begun and not ended",
        fix: "`acct keyring rekey` ends it"
      )
    case .unknownMeans(let means):
      let names = means.map { one in
        let reasons = [
          one.addedBy == nil ? "added by an unknown machine" : nil, one.lastUsed == nil ? "no use is known" : nil,
        ]
        let reason = reasons.compactMap(\.self).joined(separator: ", ")
        return printableASCII(one.name) + (reason.isEmpty ? "" : " (\(reason))")
      }
      self.init(
        "unknownMeans",
        "this machine does not know what opens the shared keyring as \(names.joined(separator: ", "))",
        fix: "`acct keyring rekey` asks about each, and changes the key; --keep NAME or --drop NAME answers"
      )
    case .doubledMembers(let count):
      self.init(
        "doubledMembers",
        "the shared keyring's list of machines has \(count) \(count == 1 ? "entry" : "entries") twice",
        fix: "`acct keyring rekey` drops what is double"
      )
    case .damagedShared(let key, .strayKey):
      self.init(
        "damagedSharedAccount",
        "the shared keyring has an object that is no account's: \(printable(key))",
        fix: "its operator can delete it; acct-keyring(1), OPERATORS"
      )
    case .damagedShared(let id, let damage):
      self.init(
        "damagedSharedAccount",
        "what the shared keyring has of account \(id) can't be used: \(words(for: damage))",
        fix: "`acct remove \(id) --local` removes it for all machines"
      )
    case .olderObjects(let names):
      self.init(
        "keyringRolledBack",
        "the shared keyring's objects of \(names.joined(separator: ", ")) are older than this machine has seen them",
        fix: "ask its operator; if they are the ones to use, run `acct keyring trust`"
      )
    case .moveBegun(let target, let source):
      self.init(
        "moveInterrupted",
        "a move to \(target.rawValue) was interrupted; the accounts are in \(source.rawValue)",
        fix: "`acct keyring move \(target.rawValue)`"
      )
    case .moveUnfinished(let source, let target):
      self.init(
        "moveInterrupted",
        "the accounts were moved to \(target.rawValue), and some are in \(source.rawValue), too",
        fix: "`acct keyring move \(target.rawValue)`"
      )
    case .remoteFolder(let fileSystem, let renews):
      self.init(
        "remoteFolder",
        "\(fileSystem.path) is on \(fileSystem.name): a folder on sshfs or NFS is no shared keyring"
          + (renews ? "" : ", and nothing is renewed there"),
        fix:
          "keep acct's files on this machine; acct-keyring(1) says how several machines use one account"
      )
    case .sharing(_, let count):
      self.init("sharedKeyring", "the shared keyring answers, and has \(words(forAccounts: count))")
    default: self.init("sharedKeyring", "the shared keyring answers")
    }
  }

  private init(files subject: Finding.Subject) {
    switch subject {
    case .readable(let paths): self.init("readable", text(paths, "can be read by others"), fix: repair)
    case .writable(let paths, let folders, let accounts):
      self.init(
        "writable",
        text(paths, "can be changed by others", accounts),
        fix: "check \(paths.count == 1 ? "its" : "their") contents, then `\(chmod("go=", paths, folders))`"
      )
    case .unreadable(let paths, let folders, let accounts):
      self.init(
        "unreadable",
        text(paths, "can't be read by you", accounts),
        fix: "`\(chmod("u+rwX", paths, folders))`"
      )
    case .obstacle(.mode, let path):
      self.init("unwritable", "\(path) is a folder in which you can't write", fix: "`chmod u=rwx \(shellWord(path))`")
    case .obstacle(.readOnly, let path):
      self.init(
        "unwritable",
        "\(path) is on a file system that is read-only: nothing can be stored or renewed",
        fix: "mount it for writing, or name another folder in ACCT_HOME"
      )
    case .obstacle(.full, let path):
      self.init(
        "diskFull",
        "\(path) is on a disk that is full: nothing can be stored or renewed",
        fix: "free space on it"
      )
    case .foreign(let path): self.init("foreign", "\(path) belongs to another user", fix: "`chown` it, or remove it")
    case .link(let path): self.init("link", "\(path) is a symbolic link", fix: "replace the link by the file itself")
    case .files(let failure):
      let errorMessage = ErrorMessage(failure)
      self.init(errorMessage.code, errorMessage.text, fix: errorMessage.hint)
    case .filesPrivate(let count):
      self.init("files", count == 0 ? "there are no files yet" : "only you can use the files and folders (\(count))")
    default: self.init("files", "only you can use the files and folders")
    }
  }

  private init(accounts subject: Finding.Subject) {
    switch subject {
    case .accountsReadable(let count): self.init("accounts", "every account's file can be read (\(count))")
    case .skippedAccount(let skipped):
      let errorMessage = ErrorMessage(skipped)
      let removal = skipped.flaw == .damaged ? "; `acct remove \(skipped.id)` removes it" : ""
      self.init(errorMessage.code, errorMessage.text, fix: errorMessage.hint.map { $0 + removal })
    case .activeGone(let id):
      self.init(
        "activeGone",
        "the active account \(id) does not exist",
        fix: "`acct switch NAME`, or \(repair)",
        next: "`acct switch NAME` makes one active"
      )
    case .interruptedRenewal(let name, let seconds, let wasAnswered):
      self.init(
        "interruptedRenewal",
        wasAnswered
          ? "a renewal of \(name) got an answer that could not be stored, \(duration(seconds)) ago"
          : "a renewal of \(name) was interrupted \(duration(seconds)) ago",
        fix: "`\(acctLine("refresh", name.description))`"
      )
    case .interruptedReplacement(let name):
      self.init(
        "interruptedReplacement",
        "new credentials of \(name) were only partly stored; it still works",
        fix: repair
      )
    case .orphans(let id, rebuilt: nil):
      self.init(
        "orphanedItems",
        "the keyring holds secrets of \(id), which has no file",
        fix: "with the keyring unlocked, \(repair) rebuilds it"
      )
    case .orphans(let id, let name?):
      self.init(
        "orphanedItems",
        "the file of \(id) was missing, and has been rebuilt as \(name)",
        next: "check it with `\(acctLine("status", name.description))`"
      )
    case .missing(.refreshToken, let name):
      self.init(
        "missingItem",
        "the refresh token of \(name) is not in the keyring: it can't be renewed",
        fix: "\(loginHint(name)) before it expires"
      )
    case .missing(let kind, let name):
      self.init(
        "missingItem",
        "the \(missing(kind)) of \(name) is not in the keyring",
        fix: "\(loginHint(name)), or `\(acctLine("remove", name.description))`"
      )
    case .damagedItem(let kind, let name, let reason?):
      self.init(
        "damagedItem",
        "the \(words(for: kind)) of \(name) can't be read: \(reason)",
        fix: "restore it from a backup; or \(loginHint(name))"
      )
    case .damagedItem(let kind, let name, nil):
      self.init(
        "damagedItem",
        "the \(words(for: kind)) of \(name) in the keyring is not what acct writes",
        fix: loginHint(name)
      )
    case .itemsUnknown(let failure, let kind):
      self.init(
        "itemsUnknown",
        "accounts could not be compared with the keyring: \(ErrorMessage(failure, kind).text)",
        fix: ErrorMessage(failure, kind).hint
      )
    default: self.init("items", "accounts and the keyring agree")
    }
  }
}

/// The name of a kind of item that is missing: any of a token is its token.
private func missing(_ kind: ItemKind) -> String {
  switch kind {
  case .keypair, .certificate, .certificateKey, .clientSecret, .clientKey: words(for: kind)
  default: "token"
  }
}

/// The name of a kind of item.
private func words(for kind: ItemKind) -> String {
  switch kind {
  case .accessToken: "access token"
  case .refreshToken: "refresh token"
  case .expiresAt: "expiry"
  case .handle: "handle"
  case .did: "DID"
  case .keypair: "DPoP key"
  case .secondTokens: "tokens for other audiences and scopes"
  case .clientSecret: "client secret"
  case .clientKey: "client key"
  case .certificate: "client certificate"
  case .certificateKey: "key of the client certificate"
  case .session: "session"
  case .guest: "guest token"
  case .staticToken: "static token"
  case .idToken: "ID token"
  case .roleKeys: "temporary keys of cloud roles"
  case .registration: "access to the client's registration"
  }
}

/// What is wrong with files and folders, of which one is named, and which accounts are not used for that.
private func text(_ paths: [String], _ flaw: String, _ accounts: [SkippedAccount] = []) -> String {
  let (subject, example) =
    paths.count == 1 ? (paths[0], "") : ("\(paths.count) files and folders", ", such as \(paths[paths.count - 1])")
  return "\(subject) \(flaw)\(example)\(accounts.isEmpty ? "" : "; not used: \(words(for: accounts))")"
}

/// The line that mends a file, or all that acct's folders have.
private func chmod(_ mode: String, _ paths: [String], _ folders: [String]) -> String {
  (["chmod"] + (paths.count == 1 ? [mode] + paths : ["-R", mode] + folders)).map(shellWord).joined(separator: " ")
}
