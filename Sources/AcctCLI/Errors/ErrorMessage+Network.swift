import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// The network or a server failed; the credentials are as they were.
  init(network error: EngineError) {
    switch error {
    case .http(.inside, let origin):
      self.init(
        "insideAddress",
        .refused,
        "refused: a server names \(origin), which is an address of this machine or a private network",
        hint: "only you may name such an address, as with --issuer or ACCT_PLC_URL"
      )
    case .http(let failure, let origin):
      let status = ExitStatus(failure)
      self.init(
        "network",
        status,
        "\(origin): \(words(for: failure))",
        hint: status == .network ? "nothing was wrong with the account; try again" : nil
      )
    case .renewalUnanswered(let failure, let origin):
      self.init(
        "network",
        ExitStatus(failure),
        "\(origin): \(words(for: failure))",
        hint:
          "the server may have renewed the session before the answer was lost, and then it has ended; "
          + "try again to find out"
      )
    case .oauth(let error, let origin):
      self.init(
        error.code,
        .serverFailed,
        "\(origin) \(words(for: error))",
        hint: error.hint(origin)
      )
    case .rateLimited(let retryAfter, let origin):
      self.init(
        "rateLimited",
        .rateLimited,
        "\(origin) reports too many requests",
        retryAfter: retryAfter
      )
    case .serverFailed(let status, let retryAfter, let origin):
      self.init(
        "serverFailed",
        .serverFailed,
        "\(origin) failed with \(status)",
        hint: retryAfter == nil ? laterHint : nothingWrongHint,
        retryAfter: retryAfter
      )
    case .notRenewable(let account):
      self.init(
        "notRenewable",
        .signInRequired,
        "\(account) has no refresh token, so it can't be renewed",
        hint: "sign in again with `acct add`; the account keeps its name"
      )
    case .issuerUnknown(let account):
      self.init(
        "issuerUnknown",
        .signInRequired,
        "no issuer is known for \(account)",
        hint: "import it again with an \"issuer\" member, or sign in with `acct add`"
      )
    default:
      self.init("offline", .network, "--offline does not allow renewing it")
    }
  }
}

extension ExitStatus {
  /// What no answer means for the process.
  fileprivate init(_ failure: HTTPFailure) {
    self =
      switch failure {
      case .cancelled: .cancelled
      case .malformed, .tooLarge: .serverFailed
      default: .network
      }
  }
}

/// For a server that fails, and says when to try again.
let nothingWrongHint = "nothing was wrong with the account"
/// For a server that fails, and doesn't say so.
let laterHint = nothingWrongHint + "; try again later"

extension OAuthError {
  fileprivate func hint(_ origin: Origin) -> String? {
    switch self {
    // Some servers refuse a dead session without a word. That is no proof, so the account stays; the
    // user may know better.
    case .unexplained: "the account is kept; if it keeps failing, sign in again with `acct add`"
    case .refused(let code, let description, _):
      registrationHint(code, description, at: "\(origin)")
    case .noMetadata, .metadata, .unsupported, .notJSON, .malformedAnswer, .tokenType, .redirected:
      nil
    }
  }
}

func words(for failure: HTTPFailure) -> String {
  switch failure {
  case .unresolved(let host): "the name \(host) can't be resolved"
  case .unreachable(let reason): "can't connect: \(reason)"
  case .untrusted(let reason): "the TLS connection is not trusted: \(reason)"
  case .timedOut: "timed out without an answer"
  case .closed: "the connection was closed before the answer arrived"
  case .malformed: "the answer is not HTTP"
  case .tooLarge(let limit): "the answer is larger than \(limit / 1024) KiB"
  case .cancelled: "cancelled"
  case .unsendable(let reason): "the request can't be sent: \(reason)"
  case .source(.failed(let name, let reason)): "the body can't be read from \(name): \(reason)"
  case .source(.tooLarge(let name, _)): "the body can't be read from \(name): too large"
  case .inside(let host): "\(host) is an address of this machine or a private network"
  case .proxy(let reason): "the proxy that the environment names can't be used: \(reason)"
  }
}

private func words(for error: OAuthError) -> String {
  switch error {
  case .noMetadata(let status): "has no OAuth metadata (it answered \(status))"
  case .metadata(let flaw): "has metadata that can't be used: \(words(for: flaw))"
  case .unsupported(let feature): "does not offer \(words(for: feature))"
  case .notJSON(let status): "answered \(status) with a body that is not JSON"
  case .malformedAnswer(let member): "sent an answer with a bad \(member)"
  case .refused(let code, let description, let status):
    "refused (\(status)): "
      + [code, description].compactMap(\.self).map(printable).joined(separator: ": ")
  case .unexplained(let status): "answered \(status) without a reason"
  case .tokenType(let type): "sent a token of type \(printable(type)), which was not requested"
  case .redirected(let location):
    "redirects \(location.map { "to \(printable($0)) " } ?? "")where credentials are not sent"
  }
}

private func words(for flaw: OAuthError.MetadataFlaw) -> String {
  switch flaw {
  case .notJSON: "it is not JSON"
  case .issuer(let expected, let found?):
    "it names the issuer \(printable(found)) instead of \(expected)"
  case .issuer(let expected, nil): "it does not name the issuer \(expected)"
  case .missing(let member): "there is no \(member)"
  case .malformed(let member): "\(member) is malformed"
  case .refused(let member, _): "\(member) is a URL that no credential may be sent to"
  }
}

private func words(for feature: OAuthError.Feature) -> String {
  switch feature {
  case .authorizationCode: "sign-in with a browser"
  case .deviceCode: "the device flow"
  case .codeChallengeS256: "PKCE with S256"
  case .dpopES256: "DPoP with ES256"
  }
}
