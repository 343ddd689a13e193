import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
  /// A keyring that several machines share can't be used, for a reason specific to shared keyrings.
  init(sharing failure: KeyringFailure, _ kind: Keyring.Kind) {
    switch failure {
    case .engine(let failure): self.init(failure, of: kind)
    case .settings(let flaw): self.init(flaw)
    case .rolledBack:
      self = .code("keyringRolledBack", .keyringUnavailable)
        .saying("the shared keyring was restored from a backup: nothing is renewed or changed")
        .hint("if the restored accounts are the ones to use, run `acct keyring trust`")
    case .answerWaits:
      self = .code("answerWaits", .keyringUnavailable)
        .saying("a server's answer is still to be stored on the shared keyring, and waits on this machine")
        .hint("the next call that reaches the engine stores it: run `acct refresh`")
    case .answerUnopened(let path):
      self = .code("answerUnopened", .keyringUnavailable)
        .saying("a server's answer waits in \(printable(path)), and no key opens it any more")
        .hint("`acct keyring trust` sets it aside; the account may have to sign in again")
    case .damagedHeader(let reason):
      self = .code("damagedHeader", .keyringUnavailable)
        .saying("the shared keyring is damaged: \(printable(reason))")
        .hint("restore its header from a backup of the engine; if the one there is right, run `acct keyring trust`")
    case .damagedAccount(let id, let damage):
      self = .code("damagedSharedAccount", .badInput)
        .saying("what the shared keyring has of account \(id) can't be used: \(words(for: damage))")
        .hint(mending(damage, id))
    case .removedMachine(let host, let time):
      self = .code("machineRemoved", .keyringLocked)
        .saying("this machine was removed from the shared keyring by \(printable(host)) on \(day(time))")
        .hint("`acct keyring join` with --code asks a member to approve it again")
    case .machineKey(let address, let failure): self.init(machineKey: failure, in: address)
    case .notJoined, .locked, .sealed, .unavailable, .cancelled, .timedOut, .noVault, .failed, .newer:
      self = .code("keyringNotJoined", .keyringUnavailable)
        .saying("this machine shares no keyring")
        .hint("run `acct keyring create` or `acct keyring join`")
    }
  }

  /// A TPM does not use this machine's key for a shared keyring.
  private init(machineKey failure: HardwareKeyFailure, in address: TPMAddress) {
    let device = "the TPM at \(address.description)"
    switch failure {
    case .foreign, .gone:
      self = .code("machineKeyLost", .keyringLocked)
        .saying("this machine's key for the shared keyring is lost: \(device) was cleared, or is another one")
        .hint("`acct keyring join` with --code asks a member to approve a new key")
    case .absent(let reason):
      self = .code("deviceAbsent", .keyringUnavailable)
        .saying("\(device), which has this machine's key for the shared keyring, can't be reached: \(reason)")
        .hint("turn it on or start it, and try again")
    case .forbidden, .busy, .lockedOut, .wrongPIN, .noPIN, .cancelled, .notTouched, .owned, .unsuitable,
      .malformedReply, .failed:
      self.init(failure, .tpm2)
    }
  }

  /// The engine of a shared keyring failed.
  private init(_ failure: SharedStoreFailure, of kind: Keyring.Kind) {
    let engine = kind.title
    let (code, text, hint) =
      switch failure {
      case .unavailable(let reason):
        ("keyringUnavailable", "can't be reached: \(reason)", "check that it runs; `acct keyring` shows its address")
      case .timedOut:
        ("keyringTimedOut", "does not answer", "check its load and the network; `acct keyring` shows its address")
      case .noQuorum:
        ("keyringNoQuorum", "has no leader that can write", "start the members that are down; nothing was changed")
      case .noSpace:
        (
          "keyringFull", "accepts no more writes: its quota or its disk is full",
          "free space on it, as in acct-engine(7)"
        )
      case .denied(let reason):
        (
          "keyringDenied", "denies access: \(reason)",
          "check the password file or the certificate, and what the role may do: acct-engine(7)"
        )
      case .readOnly(let reason):
        (
          "keyringReadOnly", "lets this machine only read the shared keyring: \(reason)",
          "run the command on a machine that may write it, such as `acct refresh` for a renewal, or give this one's role "
            + "the grants of a member: acct-engine(7)"
        )
      case .untrusted(let reason):
        (
          "keyringUntrusted", "has a certificate that is not trusted: \(reason)",
          "`acct keyring join` again, with the right host and --ca FILE"
        )
      case .notPrepared(let reason):
        (
          "keyringNotPrepared", "is not prepared: \(reason)",
          "run `acct keyring create`, or see acct-engine(7)"
        )
      case .failed(let reason): ("keyringFailed", "failed: \(reason)", "its log has the details")
      }
    self = .code(code, .keyringUnavailable)
      .saying("\(engine) \(printable(text))")
      .hint(hint)
  }

  /// The settings of a shared keyring can't be used; the message does not repeat them.
  private init(_ flaw: KeyringSettingsFlaw) {
    switch flaw {
    case .name:
      self = .code("usage", .usage)
        .saying("not a name for a keyring")
        .hint("1 to 64 letters, digits, - and _")
    case .endpoint:
      self = .code("usage", .usage)
        .saying("not a member of etcd: each is https, a host and a port")
        .hint("as in https://a.example:2379,https://b.example:2379")
    case .connection:
      self = .code("usage", .usage)
        .saying("not a connection string of PostgreSQL")
        .hint("as in 'host=db.example dbname=acct user=acct'")
    case .noHost:
      self = .code("usage", .usage)
        .saying("the connection string names no host that other machines can reach")
        .hint("as in 'host=db.example dbname=acct user=acct'")
    case .indirect(let keyword):
      self = .code("usage", .usage)
        .saying("\(keyword) in a connection string takes settings from elsewhere")
        .hint("write host, dbname and user out")
    case .password:
      self = .code("usage", .usage)
        .saying("a connection string must not have a password, which other programs can read")
        .hint("put it into a file of your own: --password-file FILE")
    case .unverified(let mode):
      self = .code("transportRefused", .refused)
        .saying("refused: sslmode=\(mode) does not verify the server")
        .hint("leave sslmode out: acct uses verify-full, with --ca if you give it")
    }
  }
}

/// The step that helps where an account of a shared keyring can't be used.
private func mending(_ damage: SharedDamage, _ id: AccountID) -> String {
  let removing = "`acct remove \(id) --local` removes it for all machines, after which it can be added again"
  return switch damage {
  case .unknownVersion: "update acct on this machine"
  case .formerKey: "if the engine was restored in part, restore the later state; else \(removing)"
  default: removing
  }
}

/// The reason why an account of a shared keyring can't be used, behind a colon.
package func words(for damage: SharedDamage) -> String {
  switch damage {
  case .notAnObject: "it is no object of acct's, or is cut short"
  case .unknownVersion: "a later version of acct wrote it"
  case .modified: "it was modified, or belongs to another place"
  case .formerKey: "it was put back there, or written by a machine that was removed: it has a former key"
  case .malformed: "it is not of the form that acct writes"
  case .strayKey: "its key is no account's"
  case .notThisAccount: "its record is no account, or another one"
  case .localState: "its record speaks of the files of one machine"
  case .keyInDevice: "it names a key in a device, which no shared account has"
  case .guest: "it is a guest, which belongs to one machine"
  case .item(let kind): "its item \(kind.rawValue) is not what acct writes"
  case .nameTaken: "another account has its name"
  }
}
