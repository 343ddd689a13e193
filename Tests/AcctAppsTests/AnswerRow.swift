import AcctModel
import Secrets
import AcctProtocol
import Testing

/// A row of a table of answers: the status and the body, and their meaning.
struct AnswerRow: Sendable, CustomTestStringConvertible {
  let status: Int
  let body: String
  let meaning: String
  let type: String?

  init(_ status: Int, _ body: String, _ meaning: String, type: String? = "application/json") {
    (self.status, self.body, self.meaning, self.type) = (status, body, meaning, type)
  }

  var testDescription: String { "\(status) \(body)" }

  var answer: ServerAnswer {
    ServerAnswer(
      status: status,
      contentType: type,
      retryAfter: "7",
      location: "https://elsewhere.example/",
      body: Secret(body),
      redacting: .none
    )
  }
}

extension AnswerRow {
  /// Answers that do not answer the call, whatever it was.
  static let unanswered = [
    Self(200, "[]", "not JSON"), Self(200, #"{"a":1,"a":2}"#, "not JSON"), Self(200, "", "not JSON"),
    Self(200, "<p>", "not JSON", type: "text/html"), Self(204, "", "not JSON"), Self(201, "<p a=b>", "not JSON"),
    Self(302, "", "redirected to https://elsewhere.example/"),
    Self(307, #"{"error":"no"}"#, "redirected to https://elsewhere.example/"), Self(404, "", "unexplained 404"),
    Self(404, "<p>", "unexplained 404", type: "text/html"), Self(429, "{}", "limited 7"),
    Self(429, #"{"error":"slow down"}"#, "limited 7"), Self(502, "<p>", "failed 502 7", type: "text/html"),
    Self(503, "", "failed 503 7"), Self(504, "{}", "failed 504 7"),
  ]

  static let starts = [
    Self(200, #"{"success":true,"authUrl":"https://pds.example/o"}"#, "to https://pds.example/o"),
    Self(400, #"{"success":false,"error":"Invalid handle"}"#, "no: Invalid handle"),
    Self(400, #"{"success":false,"error":"Missing code_challenge"}"#, "no: Missing code_challenge"),
    Self(400, #"{"error":"Couldn't initiate login"}"#, "no: Couldn't initiate login"),
    Self(401, #"{"error":"Who?"}"#, "no: Who?"),
    Self(200, #"{"success":false,"error":"Invalid handle"}"#, "no: Invalid handle"),
    Self(200, #"{"success":false}"#, "no: the backend did not say why"),
    Self(200, #"{"success":true}"#, "bad authUrl"), Self(200, #"{"authUrl":"x"}"#, "bad success"),
    Self(200, #"{"success":true,"authUrl":"http://pds.example/"}"#, "bad authUrl"),
    Self(400, "{}", "unexplained 400"), Self(401, "", "unexplained 401"),
  ]

  static let sessions = [
    Self(
      200,
      #"{"valid":true,"did":"did:plc:a","handle":"a.example","userHandle":"a.example","#
        + #""accessToken":"x","refreshToken":"y","expiresAt":1800000000000}"#,
      "did:plc:a a.example 1800000000"
    ),
    Self(
      200,
      #"{"valid":true,"did":"did:plc:a","expiresAt":1800000000}"#,
      "did:plc:a - 1800000000"
    ),
    Self(200, #"{"valid":true,"expiresAt":"2027-01-15T08:00:00Z"}"#, "- - 1800000000"),
    Self(200, #"{"valid":true,"userHandle":"a.example"}"#, "- a.example -"),
    Self(200, #"{"valid":true,"sub":"did:plc:a"}"#, "did:plc:a - -"),
    Self(200, #"{"valid":true,"sub":"17","expiresAt":null}"#, "- - -"),
    Self(
      200,
      #"{"valid":true,"displayName":"Alice","avatar":"https://cdn.example/a"}"#,
      "- - - Alice"
    ),
    Self(200, #"{"valid":true,"did":"did:plc:a","sub":"did:plc:b"}"#, "bad sub"),
    Self(200, #"{"valid":true,"handle":"a.example","userHandle":"b.example"}"#, "bad userHandle"),
    Self(200, #"{"valid":true,"did":"a"}"#, "bad did"),
    Self(200, #"{"valid":true,"expiresAt":"soon"}"#, "bad expiresAt"),
    Self(200, #"{"valid":"yes"}"#, "bad valid"), Self(200, "{}", "bad valid"),
    Self(200, #"{"valid":false,"error":"No"}"#, "refused: No"),
    Self(
      401,
      #"{"valid":false,"error":"Session invalid or expired","reason":"session_invalid"}"#,
      "over: Session invalid or expired (session_invalid)"
    ),
    Self(401, #"{"valid":false,"reason":"missing_did"}"#, "over: missing_did"),
    Self(
      401,
      #"{"valid":false,"error":"OAuth session data not found","reason":"oauth_data_missing"}"#,
      "over: OAuth session data not found (oauth_data_missing)"
    ),
    Self(401, #"{"valid":false,"reason":"exception_thrown"}"#, "exception: exception_thrown"),
    Self(401, #"{"error":"Unauthorized"}"#, "refused: Unauthorized"),
    Self(401, #"{"reason":""}"#, "refused: the backend answered 401 without a reason"),
    Self(401, "<p>", "refused: the backend answered 401 without a reason", type: "text/html"),
    Self(403, #"{"error":"no","reason":"session_invalid"}"#, "refused 403 no"),
    Self(500, #"{"valid":false,"reason":"session_invalid"}"#, "failed 500 7"),
  ]

  static let refreshes = [
    Self(200, #"{"success":true,"payload":{"did":"did:plc:a","sid":"Fe26.2*1*x"}}"#, "did:plc:a"),
    Self(200, #"{"success":true,"payload":{"sid":"Fe26.2*1*x"}}"#, "-"),
    Self(200, #"{"success":true,"payload":{"did":"a","sid":"Fe26.2*1*x"}}"#, "bad did"),
    Self(201, #"{"success":true,"payload":{"did":"did:plc:a","sid":"Fe26.2*1*x"}}"#, "did:plc:a", type: "text/plain"),
    Self(200, #"{"success":true,"payload":{"did":"did:plc:a","sid":"Fe26.2*1*x","sid":"Fe26.2*1*y"}}"#, "did:plc:a"),
    Self(200, #"{"success":true,"payload":{"did":"did:plc:a","handle":"-","sid":"Fe26.2*1*x"}}"#, "did:plc:a"),
    Self(200, #"{"success":true,"payload":{"handle":"-","sid":"Fe26.2*1*x"}}"#, "bad handle"),
    Self(200, #"{"success":true,"payload":{"did":"did:plc:a","sid":"x"}}"#, "bad sid"),
    Self(200, #"{"success":true,"payload":{"did":"did:plc:a"}}"#, "bad sid"),
    Self(200, #"{"success":true}"#, "bad payload"), Self(200, "{}", "bad success"),
    Self(200, #"{"success":false,"error":"No"}"#, "could not: No"),
    Self(
      401,
      #"{"success":false,"error":"Missing Authorization header"}"#,
      "refused: Missing Authorization header"
    ),
    Self(401, "", "refused: the refresh was refused"),
    Self(
      500,
      #"{"success":false,"error":"Token refresh failed"}"#,
      "could not: Token refresh failed"
    ),
    Self(500, #"{"error":"Token refresh failed"}"#, "could not: Token refresh failed"),
    Self(500, "<p>", "failed 500 7", type: "text/html"),
  ]

  static let tokens = [
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
