import AcctModel
import AcctProtocol
import Secrets
import StrictJSON

/// The lenient reader of grants: what the strict one takes, it reads alike.
func lenientJSONViolation(_ bytes: [UInt8]) -> String? {
  let strict = try? JSON(parsing: bytes)
  let lenient = try? JSON(leniently: bytes.span)
  if let strict { return lenient == strict ? nil : "JSON that the lenient reader takes for other JSON" }
  guard let lenient else { return nil }
  // What it makes of anything else can be written and read as JSON.
  guard let again = try? JSON(parsing: lenient.serialized(), maximumBytes: 1 << 23) else {
    return "a lenient reading that is not JSON"
  }
  return again == lenient ? nil : "a lenient reading that changes when written"
}

/// A token endpoint's answer: its end, its grant, what neither may contain, and that the lenient reader finds the same.
func tokenAnswerViolation(_ bytes: [UInt8]) -> String? {
  func answer(_ status: Int, after mark: [UInt8] = []) -> ServerAnswer {
    ServerAnswer(status: status, contentType: "application/json", body: Secret(mark + bytes), redacting: .none)
  }
  switch TokenOutcome(answer(200), boundTo: nil) {
  case .granted(let response):
    guard response.tokenType != .dpop else { return "a bound token for a request without a proof" }
    let tokens = [response.accessToken.secret, response.refreshToken?.secret].compactMap(\.self)
    let areLines = tokens.allSatisfy { token in
      token.withBytes { span in span.indices.allSatisfy { (0x21...0x7E).contains(span[$0]) } }
    }
    guard areLines else { return "a token that could write header lines" }
    guard response.lifetime ?? 1 > 0 else { return "a lifetime that is over" }
    guard (try? JSON(parsing: bytes)) != nil else { break }
    // A byte order mark, for which the strict reader leaves it to the lenient one.
    guard case .granted(let marked) = TokenOutcome(answer(200, after: [0xEF, 0xBB, 0xBF]), boundTo: nil),
      marked.grantsSame(as: response)
    else { return "a grant that the lenient reader takes for another" }
  case .ended(let code, _, _):
    guard !code.isEmpty, code.count <= 200 else { return "an end without a code" }
  case .unusable, .unanswered: break
  }
  // A server that wants fewer requests has not looked at the session.
  if case .ended = TokenOutcome(answer(429), boundTo: nil) { return "a session that a limit has ended" }
  if case .granted = TokenOutcome(answer(400), boundTo: nil) { return "tokens in a refusal" }
  return nil
}

extension TokenResponse {
  fileprivate func grantsSame(as other: TokenResponse) -> Bool {
    accessToken == other.accessToken && refreshToken?.secret == other.refreshToken?.secret
      && tokenType == other.tokenType
      && lifetime == other.lifetime && scope == other.scope && subject == other.subject && expiry == other.expiry
  }
}
