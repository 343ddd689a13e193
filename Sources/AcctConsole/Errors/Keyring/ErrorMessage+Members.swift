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
