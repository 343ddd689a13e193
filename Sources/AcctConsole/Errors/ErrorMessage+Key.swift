import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// The DPoP key of an account, or its client's key, can't be used.
  init(_ error: KeyError) {
    switch error {
    case .missing(let account):
      self = .code("noKey", .failed).saying("\(account) has no DPoP key: its tokens are not bound to one")
    case .unusable(.libraryFailed): self = .cryptoFailed
    case .unusable(let error):
      self = .code("badKey", .badInput)
        .saying("the DPoP key can't be used: \(words(for: error))")
    case .proof: self = .code("proofFailed", .failed).saying("the DPoP proof could not be signed")
    case .other(let account):
      self = .code("otherKey", .badInput).saying("this is not the key that \(account)'s tokens are bound to")
    case .hardware(let failure, let storage): self.init(failure, storage)
    case .inDevice(let account, let storage): self.init(inDevice: account.description, storage)
    case .notShared:
      self = .code("keyNotShared", .failed)
        .saying("a key in a device can't be used by the other machines that share the keyring")
        .hint("leave out --key: the shared keyring encrypts the key")
    case .notOffered(let origin):
      self = .code("dpopNotOffered", .failed)
        .saying("\(origin) does not offer DPoP: it can't bind tokens to a key")
        .hint("leave out --key; `acct vault seal` protects bearer tokens")
    case .leavesDevice(let account, let storage):
      self = .code("keyInDevice", .failed)
        .saying("\(account) has its key in \(words(for: storage)), and these credentials don't")
        .hint("`\(acctLine("remove", account.description))` first, or sign in with --key software")
    case .clientKey: self = .code("assertionFailed", .failed).saying("the client's assertion could not be signed")
    }
  }
}
