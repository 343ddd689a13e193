import AcctApps
import AcctModel
import AcctProtocol
import AcctTestSupport
import Testing

/// The tables of backends' answers, row by row: the status and the body, and their meaning.
@Suite("The meaning of a backend's answers")
struct BackendTableTests {
  @Test(
    "An answer of POST /api/auth/mobile-start has the meaning in the table",
    arguments: AnswerRow.starts + AnswerRow.unanswered
  )
  func start(row: AnswerRow) {
    let meaning =
      switch MobileStart(row.answer) {
      case .started(let address): "to \(address)"
      case .refused(let reason): "no: \(reason)"
      case .unanswered(let noAnswer): noAnswer.meaning
      }
    #expect(meaning == row.meaning)
  }

  @Test(
    "An answer of GET /api/auth/session has the meaning in the table",
    arguments: AnswerRow.sessions + AnswerRow.unanswered
  )
  func session(row: AnswerRow) {
    let meaning =
      switch SessionAnswer(row.answer) {
      case .valid(let details):
        [
          details.owner.did?.description ?? "-", details.owner.handle?.description ?? "-",
          details.expiresAt.map { "\($0.secondsSince1970)" } ?? "-", details.displayName,
        ].compactMap { $0 }.joined(separator: " ")
      case .ended(let reason): "over: \(reason)"
      case .exceptionThrown(let reason): "exception: \(reason)"
      case .refused(let reason): "refused: \(reason)"
      case .unanswered(let noAnswer): noAnswer.meaning
      }
    #expect(meaning == row.meaning)
  }

  @Test(
    "An answer of GET /mobile/refresh-token has the meaning in the table",
    arguments: AnswerRow.refreshes + AnswerRow.unanswered
  )
  func refresh(row: AnswerRow) {
    let meaning =
      switch SessionRefreshAnswer(row.answer) {
      case .granted(_, let owner): owner.did?.description ?? "-"
      case .refused(let reason): "refused: \(reason)"
      case .couldNot(let reason): "could not: \(reason)"
      case .unanswered(let noAnswer): noAnswer.meaning
      }
    #expect(meaning == row.meaning)
  }
}

extension AnswerRow {
  fileprivate static let starts = [
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

  fileprivate static let sessions = [
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

  fileprivate static let refreshes = [
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
}
