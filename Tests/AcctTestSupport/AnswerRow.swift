import AcctModel
package import AcctProtocol
import Secrets
import Testing

/// A row of a table of answers: the status and the body, and their meaning.
package struct AnswerRow: Sendable, CustomTestStringConvertible {
  package let status: Int
  package let body: String
  package let meaning: String
  package let type: String?

  package init(_ status: Int, _ body: String, _ meaning: String, type: String? = "application/json") {
    (self.status, self.body, self.meaning, self.type) = (status, body, meaning, type)
  }

  package var testDescription: String { "\(status) \(body)" }

  package var answer: ServerAnswer {
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
  package static let unanswered = [
    Self(200, "[]", "not JSON"), Self(200, #"{"a":1,"a":2}"#, "not JSON"), Self(200, "", "not JSON"),
    Self(200, "<p>", "not JSON", type: "text/html"), Self(204, "", "not JSON"), Self(201, "<p a=b>", "not JSON"),
    Self(302, "", "redirected to https://elsewhere.example/"),
    Self(307, #"{"error":"no"}"#, "redirected to https://elsewhere.example/"), Self(404, "", "unexplained 404"),
    Self(404, "<p>", "unexplained 404", type: "text/html"), Self(429, "{}", "limited 7"),
    Self(429, #"{"error":"slow down"}"#, "limited 7"), Self(502, "<p>", "failed 502 7", type: "text/html"),
    Self(503, "", "failed 503 7"), Self(504, "{}", "failed 504 7"),
  ]
}

extension NoAnswer {
  /// In the words of the tables.
  package var meaning: String {
    switch self {
    case .limited(let retryAfter): "limited \(Self.seconds(retryAfter))"
    case .serverFailed(let status, let retryAfter): "failed \(status) \(Self.seconds(retryAfter))"
    case .failed(.notJSON): "not JSON"
    case .failed(.malformedAnswer(let member)): "bad \(member)"
    case .failed(.refused(let code, _, let status)): "refused \(status) \(code)"
    case .failed(.unexplained(let status)): "unexplained \(status)"
    case .failed(.redirected(let address)): "redirected to \(address ?? "-")"
    case .failed(let error): "\(error)"
    }
  }
  private static func seconds(_ retryAfter: RetryAfter?) -> String {
    if case .seconds(let seconds) = retryAfter { "\(seconds)" } else { "-" }
  }
}
