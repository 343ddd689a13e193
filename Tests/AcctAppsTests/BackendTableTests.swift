import AcctModel
import AcctProtocol
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
      case .unanswered(let noAnswer): words(for: noAnswer)
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
      case .unanswered(let noAnswer): words(for: noAnswer)
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
      case .unanswered(let noAnswer): words(for: noAnswer)
      }
    #expect(meaning == row.meaning)
  }

  @Test(
    "An answer of a token endpoint has the meaning in the table",
    arguments: AnswerRow.tokens + AnswerRow.unanswered
  )
  func token(row: AnswerRow) {
    let meaning =
      switch TokenOutcome(row.answer, boundTo: nil) {
      case .granted: "granted"
      case .unusable(let token, let error): "\(token == nil ? "" : "kept, ")\(words(for: .failed(error)))"
      case .ended("invalid_grant", let description, _): "over: \(description ?? "-")"
      case .ended(let code, let description, _): "over: \(code), \(description ?? "-")"
      case .unanswered(let noAnswer): words(for: noAnswer)
      }
    #expect(meaning == row.meaning)
  }

  private func seconds(_ retryAfter: RetryAfter?) -> String {
    if case .seconds(let seconds) = retryAfter { "\(seconds)" } else { "-" }
  }

  private func words(for noAnswer: NoAnswer) -> String {
    switch noAnswer {
    case .limited(let retryAfter): "limited \(seconds(retryAfter))"
    case .serverFailed(let status, let retryAfter): "failed \(status) \(seconds(retryAfter))"
    case .failed(.notJSON): "not JSON"
    case .failed(.malformedAnswer(let member)): "bad \(member)"
    case .failed(.refused(let code, _, let status)): "refused \(status) \(code)"
    case .failed(.unexplained(let status)): "unexplained \(status)"
    case .failed(.redirected(let address)): "redirected to \(address ?? "-")"
    case .failed(let error): "\(error)"
    }
  }
}
