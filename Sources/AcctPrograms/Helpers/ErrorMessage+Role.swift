import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// An option of `helper aws` can't be used; its value is not repeated.
  init(_ option: String, _ flaw: HelperFlaw.OptionFlaw) {
    let (text, hint): (String, String?) =
      switch flaw {
      case .unknown:
        (
          "unknown option '\(printable(option))'",
          didYouMean(suggested(for: option, of: AWSCredentialProcess.optionNames))
        )
      case .repeated: ("\(option) is given twice", nil)
      case .missing: ("\(option) is missing, or has no value", form(of: option))
      case .value: ("\(option) has an unusable value", form(of: option))
      }
    self = .code("usage", .usage)
      .saying(text)
      .hint((hint.map { "\($0) " } ?? "") + "`man acct-helper` shows what it takes")
  }

  /// AWS's token service gives no keys of a role.
  init(roleRefused refusal: OAuthError, _ origin: Origin) {
    self = .code("identityRefused", .signInRequired).saying("\(origin) \(words(for: refusal))")
    guard case .refused(let code, let message, _) = refusal else { return }
    let reason: String
    switch RoleAnswer.cause(of: code) {
    case .expired: (reason, needsLogin) = ("rejects the token as expired", true)
    case .issuer:
      (reason, needsLogin) = ("does not know the token's issuer, or the client that it is for", true)
      hint = "both have to be in IAM, as an identity provider and its audience"
    case .claim: (reason, needsLogin) = ("has it from the token's issuer that a claim is not valid", true)
    case .access:
      reason = "does not let the token's user take the role"
      hint = "the role's trust policy says which issuer, client and subject it accepts"
    case .issuerAway:
      (status, reason) = (.serverFailed, "can't reach the token's issuer")
      hint = "AWS reads its keys over the Internet; try again later"
    case .region:
      (status, reason) = (.serverFailed, "is not turned on for the role's AWS account")
      hint = "name another region with --region, or turn this one on in IAM, Account settings"
    case .rate, .other: return
    }
    text = "\(origin) \(reason): " + [code, message].compactMap(\.self).map(printable).joined(separator: ": ")
  }
}

/// What an option of `helper aws` takes, as a clause.
private func form(of option: String) -> String? {
  switch option {
  case "--role-arn": "it is as in arn:aws:iam::123456789012:role/NAME;"
  case "--region": "it is as in eu-central-1, here or in AWS_REGION;"
  case "--session-name": "it has 2 to 64 letters, digits or _=,.@-+;"
  case "--duration": "it is a number of seconds from 900 to 43200;"
  case "--access": "it takes no value;"
  default: nil
  }
}
