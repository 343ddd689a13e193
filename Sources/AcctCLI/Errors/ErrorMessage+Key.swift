import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// The DPoP key of an account, or its client's key, can't be used.
  init(_ error: KeyError) {
    switch error {
    case .missing(let account):
      self.init("noKey", .failed, "\(account) has no DPoP key: its tokens are not bound to one")
    case .unusable(let error):
      self.init("badKey", .badInput, "the DPoP key can't be used: \(words(for: error))")
    case .proof: self.init("proofFailed", .failed, "the DPoP proof could not be signed")
    case .other(let account):
      self.init("otherKey", .badInput, "this is not the key that \(account)'s tokens are bound to")
    case .clientKey:
      self.init("assertionFailed", .failed, "the client's assertion could not be signed")
    }
  }
}
