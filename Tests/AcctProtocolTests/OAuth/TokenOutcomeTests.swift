import AcctProtocol
import AcctTestSupport
import Testing

@Suite("The meaning of a token endpoint's answers")
struct TokenOutcomeTests {
  @Test(
    "An answer of a token endpoint has the meaning in the table",
    arguments: AnswerRow.tokens + AnswerRow.unanswered
  )
  func token(row: AnswerRow) {
    let meaning =
      switch TokenOutcome(row.answer, boundTo: nil) {
      case .granted: "granted"
      case .unusable(let token, let error): "\(token == nil ? "" : "kept, ")\(NoAnswer.failed(error).meaning)"
      case .ended("invalid_grant", let description, _): "over: \(description ?? "-")"
      case .ended(let code, let description, _): "over: \(code), \(description ?? "-")"
      case .unanswered(let noAnswer): noAnswer.meaning
      }
    #expect(meaning == row.meaning)
  }
}

extension AnswerRow {
  fileprivate static let tokens = [
    Self(200, #"{"access_token":"a","token_type":"Bearer"}"#, "granted"),
    Self(200, "{}", "bad access_token"),
    Self(400, #"{"error":"invalid_grant","error_description":"used"}"#, "over: used"),
    Self(401, #"{"error":"invalid_grant"}"#, "over: -"),
    Self(400, #"{"error":"invalid_client"}"#, "refused 400 invalid_client"),
    Self(400, "", "unexplained 400"), Self(400, #"{"error":""}"#, "unexplained 400"),
    // An end is one under any media type and status, but for those of a server that has not looked at the session.
    Self(400, #"{"error":"invalid_grant"}"#, "over: -", type: "text/html"),
    Self(400, "{\"error\": \"invalid_grant\"}\n", "over: -", type: "text/plain; charset=utf-8"),
    Self(400, "error=invalid_grant&error_description=no+more", "over: no more", type: nil),
    Self(500, #"{"error":"invalid_grant"}"#, "over: -"), Self(403, #"{"error":"invalid_grant"}"#, "over: -"),
    Self(429, #"{"error":"invalid_grant"}"#, "limited 7"),
    Self(408, #"{"error":"invalid_grant"}"#, "refused 408 invalid_grant"),
    Self(425, #"{"error":"login_required"}"#, "refused 425 login_required"),
    // GitHub sends errors with 200.
    Self(200, #"{"error":"invalid_grant","error_description":"used"}"#, "over: used"),
    Self(200, #"{"error":"bad_refresh_token"}"#, "over: bad_refresh_token, -"),
    Self(
      200,
      "error=bad_refresh_token&error_description=at+its%20end&error_uri=x",
      "over: bad_refresh_token, at its end"
    ),
    Self(200, #"{"error":"temporarily_unavailable"}"#, "refused 200 temporarily_unavailable"),
    Self(200, #"{"error":"bad_refresh_token","access_token":""}"#, "over: bad_refresh_token, -"),
    Self(200, #"{"error":"invalid_grant","access_token":null}"#, "over: -"),
    Self(200, #"{"error":"invalid_grant"}"#, "over: -", type: "text/html"),
    // Nested, and in other spellings.
    Self(
      400,
      #"{"errors":[{"errorType":"invalid_grant","message":"sign in once more"}],"success":false}"#,
      "over: sign in once more"
    ),
    Self(400, #"{"error":{"code":"invalid_grant","message":"gone"}}"#, "over: gone"),
    Self(401, #"{"error":{"type":"INVALID_REFRESH_TOKEN","code":401}}"#, "over: INVALID_REFRESH_TOKEN, -"),
    Self(400, #"{"errorCode":"TokenExpired","errorSummary":"It expired."}"#, "over: TokenExpired, It expired."),
    Self(
      400,
      #"{"code":400,"error_code":"refresh_token_not_found","msg":"none"}"#,
      "over: refresh_token_not_found, none"
    ),
    Self(400, #"{"error":"interaction_required"}"#, "over: interaction_required, -"),
    Self(400, #"{"error":"consent_required"}"#, "over: consent_required, -"),
    Self(404, #"{"error":"session_not_found"}"#, "over: session_not_found, -"),
    // What the words decide.
    Self(
      400,
      #"{"error":"invalid_request","error_description":"Refresh token is not there"}"#,
      "over: invalid_request, Refresh token is not there"
    ),
    Self(
      401,
      #"{"error":"unauthorized_client","error_description":"the session was closed"}"#,
      "over: unauthorized_client, the session was closed"
    ),
    Self(400, #"{"error":"invalid_request","error_description":"no scope"}"#, "refused 400 invalid_request"),
    Self(401, #"{"error":"unauthorized_client"}"#, "refused 401 unauthorized_client"),
    Self(503, #"{"error":"invalid_request","error_description":"no session store"}"#, "failed 503 7"),
    Self(403, #"{"error":"device_removed"}"#, "refused 403 device_removed"),
    // A grant, whatever else is in the answer.
    Self(201, #"{"access_token":"a","token_type":"Bearer"}"#, "granted"),
    Self(203, #"{"access_token":"a"}"#, "granted", type: "text/html; charset=UTF-8"),
    Self(200, #"{"access_token":"a"}"#, "granted", type: nil),
    Self(200, "\u{FEFF} {\"access_token\":\"a\"}", "granted"),
    Self(200, #"{"access_token":"a","scope":"b","scope":"b"}"#, "granted"),
    Self(200, #"{"access_token":"a","expires_in":NaN,"token_type":"Bearer",}"#, "granted"),
    Self(200, "{\"access_token\":\"a\",\"display\":\"b\n\u{1}c\"}", "granted"),
    Self(200, "access_token=gho_a&scope=repo%2Cgist&token_type=bearer", "granted", type: nil),
    Self(200, #"{"access_token":"a","refresh_token":"","scope":{},"sub":[],"expires_in":"soon"}"#, "granted"),
    // What decides where a token may be sent is as strict as ever; the session is kept.
    Self(200, #"{"access_token":"a","token_type":"DPoP","refresh_token":"r"}"#, "kept, tokenType(\"DPoP\")"),
    Self(200, #"{"access_token":"a b","refresh_token":"r"}"#, "kept, bad access_token"),
    Self(200, #"{"refresh_token":"r"}"#, "kept, bad access_token"),
    Self(
      200,
      #"{"access_token":"a","refresh_token":"r","issued_token_type":"urn:x y"}"#,
      "kept, bad issued_token_type"
    ),
    Self(200, #"{"error":"","access_token":"a"}"#, "granted"),
    Self(200, #"{"error":null,"access_token":"a"}"#, "granted"),
    Self(200, #"{"error":"invalid_grant","access_token":"a"}"#, "granted"),
    Self(200, #"{"error":{"code":1}}"#, "bad access_token"),
  ]
}
