import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
  /// A shared keyring could not be begun, or accounts could not be moved.
  init(_ error: KeyringSharingError) {
    switch error {
    case .otherKeyring(let name):
      self = .code("otherKeyring", .usage)
        .saying("this machine shares another keyring: \(name)")
        .hint("`acct keyring leave` first")
    case .otherEngine(let name):
      self = .code("otherKeyring", .keyringUnavailable)
        .saying("this machine's copies are of another keyring \(name), or the engine there was restored from a backup")
        .hint("`acct keyring leave` first; for a restored engine `acct keyring trust`")
    case .demanded(let kind):
      self = .code("usage", .usage)
        .saying("ACCT_KEYRING is \(kind.rawValue): later commands would look there, wherever the accounts are")
        .hint("unset ACCT_KEYRING and try again")
    case .guests(let names):
      self = .code("guestsStay", .failed)
        .saying("guests belong to one machine and can't be shared: \(list(names))")
        .hint("`acct remove NAME` removes one; nothing was moved")
    case .keysInDevices(let names):
      self = .code("keyNotShared", .failed)
        .saying("keys in a TPM or token can't be shared: \(list(names))")
        .hint("`acct remove NAME` removes one; nothing was moved")
    case .namesTaken(let names):
      self = .code("nameTaken", .usage)
        .saying("the other keyring has other accounts called \(list(names))")
        .hint("acct rename NAME NEW renames one here; nothing was moved")
    case .otherIdentities(let names):
      self = .code("otherIdentity", .failed)
        .saying("the other keyring has other identities under the ids of \(list(names))")
        .hint("removed (`acct remove NAME`) and added anew, one has another id; nothing was moved")
    case .damaged(let name, let damage):
      self = .code("damagedSharedAccount", .badInput)
        .saying("what the shared keyring has of \(name) can't be used: \(words(for: damage))")
        .hint("`acct remove \(name) --local` removes it for all machines; nothing was moved")
    case .notKept(let name):
      self = .code("keyringFailed", .keyringUnavailable)
        .saying("the other keyring did not keep \(name) as it was written")
        .hint("the accounts are where they were; try again")
    case .notRemoved(let failure, let source, let target):
      let cause = ErrorMessage(failure, source)
      self = .code(cause.code, cause.status)
        .saying("the accounts are in \(target.rawValue) now, and some are in \(source.rawValue), too: \(cause.text)")
        .hint("`acct keyring move \(target.rawValue)` removes them there once that is possible")
    case .passphraseStays(let kind):
      self = .code("passphraseStays", .failed)
        .saying("the keyring in use is on \(kind.rawValue), and its passphrase is that of all machines")
        .hint("`acct keyring rekey` with --new-passphrase-file FILE changes it for all of them")
    case .notSealable(let kind):
      self = .code("notSealable", .failed)
        .saying("the keyring in use is on \(kind.rawValue), and no TPM is that of all machines")
        .hint("a machine without a person opens it by ACCT_VAULT_KEY_FILE: acct-keyring(1)")
    case .members(let failure, let kind): self.init(failure, kind)
    case .noFile(let option):
      self = .code("badInput", .badInput)
        .saying("\(option) names a file, and there is no such file")
    case .relativePath(let option):
      self = .code("badInput", .badInput)
        .saying("\(option) names a file in a folder that does not exist any more")
        .hint("give its whole path")
    }
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
