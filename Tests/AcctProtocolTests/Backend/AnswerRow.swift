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
    Self(200, "<p>", "not JSON", type: "text/html"), Self(200, "{}", "not JSON", type: nil),
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
    // Only the server itself, in its own form, ends a session.
    Self(400, #"{"error":"invalid_grant"}"#, "unexplained 400", type: "text/html"),
    Self(429, #"{"error":"invalid_grant"}"#, "limited 7"),
    Self(500, #"{"error":"invalid_grant"}"#, "failed 500 7"),
    // GitHub sends errors with 200; only the server's own invalid_grant ends a session there, too.
    Self(200, #"{"error":"invalid_grant","error_description":"used"}"#, "over: used"),
    Self(200, #"{"error":"bad_refresh_token"}"#, "refused 200 bad_refresh_token"),
    Self(200, #"{"error":"temporarily_unavailable"}"#, "refused 200 temporarily_unavailable"),
    Self(200, #"{"error":"bad_refresh_token","access_token":""}"#, "refused 200 bad_refresh_token"),
    Self(200, #"{"error":"invalid_grant","access_token":null}"#, "over: -"),
    Self(200, #"{"error":"invalid_grant"}"#, "not JSON", type: "text/html"),
    Self(200, #"{"error":"","access_token":"a"}"#, "granted"),
    Self(200, #"{"error":null,"access_token":"a"}"#, "granted"),
    Self(200, #"{"error":"invalid_grant","access_token":"a"}"#, "granted"),
    Self(200, #"{"error":{"code":1}}"#, "bad access_token"),
  ]
}
