import AcctEngine
import AcctModel

extension ErrorMessage {
  /// The account's credential can't be sent there, or not in that form.
  init(_ error: AuthorizationError) {
    switch error {
    case .urlNeeded(let name):
      self.init(
        "urlNeeded",
        .usage,
        "\(name) has a DPoP key, and a proof is for one method and one URL: name the URL",
        hint: "acct header [METHOD] URL"
      )
    case .noBearer(let name):
      self.init(
        "noBearer",
        .usage,
        "the token of \(name) is bound to a DPoP key and can't be sent as a bearer token",
        hint: "leave out --bearer"
      )
    case .noBearerToken(let name):
      self.init(
        "noBearerToken",
        .usage,
        "the token of \(name) is not a bearer token, and SASL has no other",
        hint: "leave out --sasl and --user, or name another account with --account"
      )
    case .noSecondToken(let name):
      self.init(
        "noSecondToken",
        .usage,
        "\(name) has no refresh token that could bring a token for another audience or scope",
        hint: "leave out --audience and --scope"
      )
    case .originRefused(let origin, let account, let allowed):
      let list = allowed.map(\.description).joined(separator: ", ")
      self.init(
        "originRefused",
        .refused,
        "refused: \(origin) is not an origin of \(account)"
          + (allowed.isEmpty ? ", which has none" : "; allowed: \(list)"),
        hint: "to allow it, run `acct allow \(account) \(origin)`"
      )
    case .originUnknown(let origin, let account):
      self.init("originUnknown", .failed, "\(origin) is not an origin of \(account)")
    }
  }
}
