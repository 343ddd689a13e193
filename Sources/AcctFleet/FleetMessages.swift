import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import FleetPorts

/// A shared keyring could not be set up, or accounts could not be moved; nothing was changed unless the case says so.
enum KeyringSharingError: Error, Equatable, Sendable {
  /// This machine shares a keyring of another name, or on another engine.
  case otherKeyring(name: String)
  /// The engine at the address is not the one that this machine's copies are of, or was restored from a backup.
  case otherEngine(name: String)
  /// Guests belong to one machine.
  case guests([AccountName])
  /// The keys of these are in a device of this machine.
  case keysInDevices([AccountName])
  /// The target has other accounts of these names.
  case namesTaken([AccountName])
  /// The target has accounts with the identifiers of these, and other identities.
  case otherIdentities([AccountName])
  /// A shared source's data of this account can't be used; nothing was moved.
  case damaged(AccountName, SharedDamage)
  /// The data read back differs from the data written.
  case notKept(AccountName)
  /// The accounts are in their new keyring; the old copies could not be removed.
  case notRemoved(KeyringFailure, from: Keyring.Kind, to: Keyring.Kind)
  /// The members or the key of a shared keyring were not changed.
  case members(SharedMembershipFailure, Keyring.Kind)
  /// An option names a file that does not exist; the name itself may be a secret.
  case noFile(option: String)
}

extension EngineError {
  static func sharing(_ error: KeyringSharingError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

extension ErrorMessage {
  /// The members of a shared keyring were not changed.
  fileprivate init(_ failure: SharedMembershipFailure, _ kind: Keyring.Kind) {
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
func words(for recipient: SharedMachine.Recipient) -> String {
  switch recipient {
  case .machine: "its own key"
  case .passphrase: "the passphrase"
  case .keyFile: "the key file"
  }
}

extension ErrorMessage {
  /// A shared keyring could not be begun, or accounts could not be moved.
  fileprivate init(_ error: KeyringSharingError) {
    switch error {
    case .otherKeyring(let name):
      self = .code("otherKeyring", .usage)
        .saying("this machine shares another keyring: \(name)")
        .hint("`acct keyring leave` first")
    case .otherEngine(let name):
      self = .code("otherKeyring", .keyringUnavailable)
        .saying("this machine's copies are of another keyring \(name), or the engine there was restored from a backup")
        .hint("`acct keyring leave` first; for a restored engine `acct keyring trust`")
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
    case .members(let failure, let kind): self.init(failure, kind)
    case .noFile(let option):
      self = .code("badInput", .badInput)
        .saying("\(option) names a file, and there is no such file")
    }
  }
}

/// A number of accounts.
func words(forAccounts count: Int) -> String { count == 1 ? "1 account" : "\(count) accounts" }
