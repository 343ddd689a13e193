import Release
import AcctProtocol
import AcctTestSupport
import Testing

@Suite("The words for ends of sessions")
struct SessionEndsTests {
  @Test("Every list of the table has words", arguments: SessionEnds.List.allCases)
  func lists(list: SessionEnds.List) {
    #expect(!SessionEnds.words(list).isEmpty)
    #expect(Set(SessionEnds.words(list)).count == SessionEnds.words(list).count)
  }

  @Test("No word is both an end and passing, or both pending and an end of a device sign-in")
  func apart() {
    let ends = Set(SessionEnds.words(.ended) + SessionEnds.words(.endedIfNamed))
    #expect(ends.isDisjoint(with: SessionEnds.words(.passing)))
    let refusals = Set(SessionEnds.words(.denied) + SessionEnds.words(.expired))
    #expect(refusals.isDisjoint(with: SessionEnds.words(.pending) + SessionEnds.words(.slower)))
    #expect(Set(SessionEnds.words(.denied)).isDisjoint(with: SessionEnds.words(.expired)))
  }

  @Test(
    "The end of a session is known by its letters and digits",
    arguments: [
      "invalid_grant", "INVALID_GRANT", "InvalidGrant", "invalid-grant", "bad_refresh_token", "expired_token",
      "invalid_refresh_token", "refresh_token_expired", "token_revoked", "session_not_found", "interaction_required",
      "login_required", "consent_required", "invalid_rapt",
    ]
  )
  func spellings(code: String) {
    let row = AnswerRow(400, #"{"error":"\#(code)"}"#, "")
    guard case .ended(let found, nil, 400) = TokenOutcome(row.answer, boundTo: nil) else {
      Issue.record("\(code) is no end")
      return
    }
    #expect(found == code)
  }

  @Test(
    "The codes of the client, the scope and the resource are no ends by themselves",
    arguments: RefusedPart.allCases
  )
  func parts(part: RefusedPart) {
    let outcome = TokenOutcome(AnswerRow(400, #"{"error":"\#(part.rawValue)"}"#, "").answer, boundTo: nil)
    guard case .unanswered(.failed(.refused(part.rawValue, nil, 400))) = outcome else {
      Issue.record("\(part.rawValue) is an end")
      return
    }
  }

  @Test(
    "A refusal is told by its code, else by its description, and either may end the session",
    arguments: [
      (#"{"status":400,"message":"Invalid refresh token"}"#, "Invalid refresh token", nil, true),
      (#"{"id":"unauthorized","message":"The refresh_token was revoked"}"#, "The refresh_token was revoked", nil, true),
      (#"{"status":"BAD_REFRESH_TOKEN","message":"missing"}"#, "BAD_REFRESH_TOKEN", "missing", true),
      (
        #"{"error":{"code":400,"message":"TOKEN_EXPIRED","status":"INVALID_ARGUMENT"}}"#, "INVALID_ARGUMENT",
        "TOKEN_EXPIRED", true
      ),
      (
        #"{"error":"invalid_grant","error_description":"","reason":"Invalid Token!"}"#, "invalid_grant",
        "Invalid Token!", true
      ),
      (#"{"error":"invalid_grant: It is expired."}"#, "invalid_grant: It is expired.", nil, true),
      (#"{"errorCode":"E1","errorMessage":"no"}"#, "E1", "no", false),
      (#"{"message":"no"}"#, "no", nil, false),
      (
        #"{"error":"invalid_request","error_description":"the session has ended"}"#, "invalid_request",
        "the session has ended", true
      ),
      (
        #"{"error":"invalid_request","error_description":"proof of possession required"}"#, "invalid_request",
        "proof of possession required", false
      ),
      (#"{"detail":"CSRF session token missing"}"#, "CSRF session token missing", nil, false),
    ] as [(String, String, String?, Bool)]
  )
  func descriptions(body: String, code: String, description: String?, isEnd: Bool) {
    switch TokenOutcome(AnswerRow(400, body, "").answer, boundTo: nil) {
    case .ended(code, description, 400): #expect(isEnd)
    case .unanswered(.failed(.refused(code, description, 400))): #expect(!isEnd)
    case let other: Issue.record("\(other)")
    }
  }

  @Test("An empty description is none")
  func emptyDescription() {
    let answer = AnswerRow(400, #"{"error":"invalid_grant","error_description":""}"#, "").answer
    guard case .ended("invalid_grant", nil, 400) = TokenOutcome(answer, boundTo: nil) else {
      Issue.record("the description is not left out")
      return
    }
  }
}
