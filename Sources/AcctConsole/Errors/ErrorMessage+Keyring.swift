package import AcctEngine
package import AcctModel
import Secrets
package import AcctPorts

extension ErrorMessage {
  /// The keyring did not give or take credentials, or holds something else.
  init(_ error: KeyringError) {
    switch error {
    case .failed(let failure, let kind): self.init(failure, kind)
    case .stillLocked(let failure, let kind):
      self.init(failure, kind)
      switch failure {
      case .locked(_, openedBy: .part):
        hint = "if its password is lost, \(newLogin)"
      case .locked(_, openedBy: .any), .sealed:
        hint =
          kind == .secretService
          ? "unlock it with its own program, on its desktop"
          : "set \(passphraseFiles(kind)) for a command without a person"
      // The failure says what opens it.
      default: break
      }
    case .notStored(let failure, let kind):
      self.init(failure, kind)
      // Its own hint says that nothing was changed; here a server may have changed something.
      hint =
        kind.isShared
        ? "the server's answer waits on this machine, encrypted: the next call that reaches the engine stores it"
        : "unlock it and try again: the server's answer could not be stored, and the next call says "
          + "whether the session is lost"
    case .notChosen(let undecided):
      let reason =
        switch undecided {
        case .never: "no keyring has been chosen yet"
        case .malformed: "the file `keyring` names none that this version of acct knows"
        case .missing: "the file `keyring` is missing; `acct doctor` can find it"
        }
      let choice = "set ACCT_KEYRING to secret-service or vault"
      self = .code("keyringUnavailable", .keyringUnavailable)
        .saying(reason)
        .hint(undecided == .malformed ? "update acct on this machine, or \(choice)" : choice)
    case .unknown(let text):
      self = .code("usage", .usage)
        .saying("ACCT_KEYRING is \(text), which is not a keyring")
        .hint("auto, secret-service, vault, etcd or postgres")
    case .damagedItem(let account, let kind):
      self = .code("damagedItem", .badInput)
        .saying("the keyring item \(kind.rawValue) of \(account) is not what acct writes")
        .hint(loginHint(account))
    case .changedElsewhere(let account):
      self = .code("keyringBusy", .keyringUnavailable)
        .saying("another machine that shares the keyring keeps changing \(account)")
        .hint("try again")
    case .halfReplaced(let account):
      self = .code("signInRequired", .signInRequired)
        .saying("the credentials of \(account) were only partly replaced")
        .hint(loginHint(account))
    case .resetUnconfirmed(let names):
      self = .code("confirmationNeeded", .usage)
        .saying("the secrets of \(names.isEmpty ? "no account" : list(names)) would be deleted; nothing was changed")
        .hint("confirm it at a terminal, or with --yes")
    case .guestNotShared(let kind):
      self = .code("guestShared", .refused)
        .saying("a guest session belongs to one machine, and the keyring (\(kind.rawValue)) is shared")
        .hint("add the guest under another ACCT_HOME, with a keyring of its own")
    case .notSealed(let failure, _): self.init(failure, .tpm2)
    case .demanded(let kind):
      self = .code("usage", .usage)
        .saying("ACCT_KEYRING is \(kind.rawValue): later commands would look there, wherever the accounts are")
        .hint("unset ACCT_KEYRING and try again")
    case .passphraseStays(let kind):
      self = .code("passphraseStays", .failed)
        .saying("the keyring in use is on \(kind.rawValue), and its passphrase is that of all machines")
        .hint("`acct keyring rekey` with --new-passphrase-file FILE changes it for all of them")
    case .notSealable(let kind):
      self = .code("notSealable", .failed)
        .saying("the keyring in use is on \(kind.rawValue), and no TPM is that of all machines")
        .hint("a machine without a person opens it by ACCT_VAULT_KEY_FILE: acct-keyring(1)")
    }
  }

  /// A keyring operation failed.
  package init(_ failure: KeyringFailure, _ kind: Keyring.Kind) {
    let name = words(for: kind)
    switch failure {
    case .locked(let reason, let opening):
      self = .code("keyringLocked", .keyringLocked)
        .saying(reason.map { "\(name) is locked: \($0)" } ?? "\(name) is locked")
        .hint(leading(to: opening, kind))
    case .sealed(let address, let failure, let reason):
      let words = "the TPM at \(address.description) does not open it (\(words(forSeal: failure)))"
      self = .code("keyringLocked", .keyringLocked)
        .saying("\(name) is locked: " + [words, reason].compactMap(\.self).joined(separator: ", and "))
        .hint(unlocking(kind))
    case .unavailable(let reason):
      self = .code("keyringUnavailable", .keyringUnavailable)
        .saying("\(name) is not available: \(reason.isEmpty ? "it gives no reason" : reason)")
        .hint(
          kind == .secretService
            ? "start a Secret Service provider, such as gnome-keyring, on the session bus" : nil
        )
    case .cancelled: self = .code("cancelled", .cancelled).saying("cancelled; nothing was changed")
    case .timedOut:
      self = .code("keyringTimedOut", .keyringUnavailable)
        .saying("\(name) does not answer")
        .hint("its process may hang: restart it and try again; nothing was changed")
    case .noVault(let folder):
      self = .code("noVault", .failed)
        .saying("there is no vault yet in \(folder)")
        .hint("the first `acct add` creates it")
    case .newer(let part): self = .newer("newerKeyring", .keyringUnavailable, part)
    case .failed(let reason): self = .code("keyringFailed", .failed).saying("\(name) failed: \(reason)")
    case .notJoined, .engine, .rolledBack, .answerWaits, .answerUnopened, .damagedHeader, .damagedAccount, .settings,
      .removedMachine, .machineKey:
      self.init(sharing: failure, kind)
    }
  }
}

/// The name of a kind of keyring.
package func words(for kind: Keyring.Kind) -> String {
  if kind.isShared { "the shared keyring" } else { kind == .vault ? "the vault" : "the keyring" }
}

/// The step that leads to the opening of a locked keyring.
private func leading(to opening: KeyringFailure.Opening, _ kind: Keyring.Kind) -> String {
  switch opening {
  case .any: return unlocking(kind)
  case .approval: return askingForApproval
  case .part(let name):
    return
      "`acct keyring unlock` on its desktop asks for the password of \(printable(name)); if it is lost, \(newLogin)"
  case .desktop:
    return "unlock it on its desktop; for GNOME Keyring, `gnome-keyring-daemon --replace --unlock` reads the password "
      + "from standard input"
  case .otherKeyring:
    return "set ACCT_KEYRING=vault to keep accounts in a vault, or create a keyring on the desktop"
  case .joining: return "set \(passphraseFiles(kind)) to the keyring's own, or \(askingForApproval)"
  case .file(let path):
    return "mend \(shellWord(path)), or unset the variable that names it and run `acct keyring unlock`"
  case .fileForEach:
    return "put the passphrase into a file that only you can read, and set \(passphraseFiles(kind)) to it"
  case .otherPassphrase(let file):
    let lost = kind.isShared ? askingForApproval : "`acct vault reset` keeps the accounts and forgets their secrets"
    let right = file.map { "put the right one into \(shellWord($0))" } ?? "try again"
    return "\(right); if it is lost, \(lost)"
  }
}

/// The way to new credentials where those in a locked collection are lost.
private let newLogin = "a new login of the account stores its credentials in the default collection"

/// The step towards opening a shared keyring that no secret of this machine opens.
private let askingForApproval = "`acct keyring join` with --code asks a member to approve this machine"

/// The way to unlock a keyring.
private func unlocking(_ kind: Keyring.Kind) -> String {
  kind == .secretService
    ? "run `acct keyring unlock`, then try again; nothing was changed"
    : "run `acct keyring unlock`, or set \(passphraseFiles(kind))"
}

/// The variables that name what opens a keyring where no person is asked.
private func passphraseFiles(_ kind: Keyring.Kind) -> String {
  kind.isShared ? "ACCT_VAULT_KEY_FILE or ACCT_VAULT_PASSPHRASE_FILE" : "ACCT_VAULT_PASSPHRASE_FILE"
}

/// Why a TPM does not open a vault, in words that follow a colon.
package func words(forSeal failure: HardwareKeyFailure) -> String {
  switch failure {
  case .absent(let reason), .unsuitable(let reason), .malformedReply(let reason),
    .failed(let reason), .noPIN(let reason):
    reason
  case .forbidden(let path): "you may not open \(path)"
  case .busy: "it is busy"
  case .lockedOut: "it is locked, after too many wrong PINs"
  case .foreign: "the vault was sealed in another TPM, or this one was cleared"
  case .owned: "its owner set a password, and it keeps no storage key (0x81000001)"
  case .wrongPIN, .cancelled, .notTouched, .gone: "it gives no reason"
  }
}

extension AccountOverview.Status {
  /// The assessment with the reason in words, if there is one.
  package var shownAssessment: Assessment {
    var shown = assessment
    shown.reason = assessment.reason ?? keyringFailure?.reason
    return shown
  }
}

extension KeyringFailure {
  /// The reason for the state of an account whose keyring did not answer.
  fileprivate var reason: String? {
    switch self {
    case .locked(let reason, _): reason
    case .sealed: "its TPM does not open it, and no passphrase did"
    case .cancelled: nil
    case .unavailable(let reason), .failed(let reason), .damagedHeader(let reason): reason
    case .noVault: "there is no vault yet"
    case .newer(let part): "\(printable(part)) was written by a later version of acct"
    case .timedOut: "the keyring did not answer in time"
    case .notJoined: "this machine has joined no shared keyring"
    case .engine(let failure): failure.reason
    case .rolledBack: "the shared keyring was restored from a backup"
    case .damagedAccount: "what the shared keyring has of it is damaged"
    case .answerWaits: "a server's answer is still to be stored on the shared keyring"
    case .answerUnopened: "a server's answer waits for the shared keyring, and no key opens it any more"
    case .removedMachine(let host, _): "this machine was removed from the shared keyring by \(printable(host))"
    case .machineKey(_, .foreign): "the TPM that had this machine's key was cleared, or is another one"
    case .machineKey: "the TPM with this machine's key does not open the shared keyring"
    case .settings: "the settings of the shared keyring can't be used"
    }
  }
}

extension SharedStoreFailure {
  fileprivate var reason: String {
    switch self {
    case .unavailable(let reason), .denied(let reason), .untrusted(let reason), .notPrepared(let reason),
      .failed(let reason):
      reason
    case .timedOut: "the shared keyring did not answer in time"
    case .readOnly: "this machine can only read the shared keyring"
    case .noQuorum: "too few members of the shared keyring are there"
    case .noSpace: "the shared keyring takes no more writes"
    }
  }
}
