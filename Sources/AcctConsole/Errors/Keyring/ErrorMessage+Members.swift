import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
  /// The members of a shared keyring were not changed.
  init(_ failure: SharedMembershipFailure, _ kind: Keyring.Kind) {
    switch failure {
    case .keyring(let failure): self.init(failure, kind)
    case .notACode:
      self = .code("usage", .usage)
        .saying("not a code")
        .hint("16 letters and digits, as `acct keyring join` with --code shows them")
    case .unknownCode:
      self = .code("unknownCode", .failed)
        .saying("no machine waits with this code: it is wrong, or the machine has given up")
        .hint("compare it, or run `acct keyring join` with --code there again")
    case .oldCode:
      self = .code("oldCode", .failed)
        .saying("the code is more than 10 minutes old, or the clocks of the two machines differ by that")
        .hint("run `acct keyring join` with --code there again")
    case .usedCode(let by, let machine):
      self = .code("usedCode", .failed)
        .saying("the code has been used: \(printable(by)) approved \(printable(machine)) with it")
        .hint("`acct keyring machines` lists the machines")
    case .forgedRequest:
      self = .code("forgedRequest", .refused)
        .saying("refused: the request on \(kind.title) is not the one that the code was made for")
        .hint("its operator may have changed it; run `acct keyring join` with --code there again")
    case .notApproved:
      self = .code("notApproved", .failed)
        .saying("no machine has approved the code within 10 minutes")
        .hint("run `acct keyring join` with --code again")
    case .formerForm:
      self = .code("formerKeyring", .failed)
        .saying("the shared keyring is of an earlier version of acct, in which machines have no keys")
        .hint("`acct keyring rekey` on one that shares it gives it the new form")
    case .noSuchMachine(let name):
      self = .code("noSuchMachine", .usage)
        .saying("no machine called \(printableASCII(name)) shares the keyring")
        .hint(
          "`acct keyring machines` lists those with a key of their own and those that have written; one with the "
            + "passphrase or key file alone is shut out by `acct keyring rekey` with --new-passphrase-file or --new-key-file"
        )
    case .removedBefore(let name, let removal, let namesakes):
      let names = namesakes.map(printable)
      self = .code("removedBefore", .usage)
        .saying(
          "\(printable(name)) was removed by \(printable(removal.by)) on \(day(removal.at)); "
            + "\(names.joined(separator: ", ")) joined after that"
        )
        .hint(names.first.map { "`acct keyring remove \($0)` removes that one; `acct keyring machines` lists them" })
    case .member:
      self = .code("alreadyMember", .usage)
        .saying("this machine is a member of the shared keyring")
        .hint("`acct keyring machines` lists it; after `acct keyring leave` it can ask to join again")
    case .sameSecret(.passphrase):
      self = .code("samePassphrase", .usage)
        .saying("this passphrase opens the shared keyring already")
        .hint("who has it would still open it: take another one")
    case .sameSecret:
      self = .code("sameKeyFile", .usage)
        .saying("this key file opens the shared keyring already")
        .hint("make another one of 32 random bytes, such as by head -c 32 /dev/urandom")
    case .tooManyPassphrases(let limit):
      self = .code("tooManyPassphrases", .usage)
        .saying("a shared keyring has \(limit) passphrases at most")
        .hint("the new one takes the place of those that --keep does not name")
    case .laterVersion(let id):
      self = .code("laterVersion", .keyringUnavailable)
        .saying("the key has changed, but for account \(id), which a later version of acct wrote")
        .hint("make the command again with that version, or remove the account for all: `acct remove \(id) --local`")
    case .stillWriting:
      self = .code("stillWriting", .keyringUnavailable)
        .saying("the key has changed, and a machine keeps writing with the former one")
        .hint("take the removed machine's access to \(kind.title) away, and make the command again: it goes on")
    case .thisMachine:
      self = .code("thisMachine", .usage)
        .saying("that is this machine, which another one has to remove")
        .hint("`acct keyring leave` stops sharing here")
    case .knowsSecret(let secret, let machine):
      self = .code("knowsSecret", .usage)
        .saying("\(printable(machine)) has had \(words(for: secret)) of the keyring, which would still open it")
        .hint("add --new-passphrase-file FILE, --new-key-file FILE, or --drop-shared")
    case .unknownMeans(let means, let machine):
      let names = means.map { printableASCII($0.name) }
      let command = machine.map { "keyring remove \(printableASCII($0))" } ?? "keyring rekey"
      self = .code("unknownMeans", .signInRequired)
        .saying(
          "this machine does not know what opens the keyring as \(names.joined(separator: ", ")); nothing was changed"
        )
        .hint(
          "`acct \(command)` with --keep NAME for each that stays, --drop NAME for each other one, or at a terminal; "
            + "`acct keyring machines` lists them"
        )
    case .ambiguous(let name, let found):
      let ids = found.map { "\(printableASCII($0.name)) is \($0.id)" }
      self = .code("ambiguousName", .usage)
        .saying("\(printableASCII(name)) may be another machine than it seems: \(ids.joined(separator: ", "))")
        .hint("give the identifier in place of the name")
    case .noSuchMeans(let name):
      self = .code("noSuchMeans", .usage)
        .saying("nothing called \(printableASCII(name)) opens the keyring")
        .hint("`acct keyring machines` lists what does")
    case .tooMany:
      self = .code("tooManyMachines", .failed)
        .saying("the keyring has as many machines as it takes")
        .hint("`acct keyring remove` takes one out that is not used any more")
    }
  }
}

/// The means by which a machine opens a shared keyring.
package func words(for recipient: SharedMachine.Recipient) -> String {
  switch recipient {
  case .machine: "its own key"
  case .passphrase: "the passphrase"
  case .keyFile: "the key file"
  }
}

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
    case .guest(let kind):
      self = .code("guestShared", .refused)
        .saying("a guest session belongs to one machine, and the keyring (\(kind.rawValue)) is shared")
        .hint("add the guest under another ACCT_HOME, with a keyring of its own")
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
