package import AcctModel
import Secrets
package import StrictJSON

/// A device authorization grant (RFC 8628) as a state machine: it waits, asks, and ends.
package struct DeviceFlow: Sendable {
  /// The code that the user enters at ``verificationURL``.
  package let userCode: String
  package let verificationURL: HTTPURL
  /// With the code in it already, for a QR code.
  package let completeURL: HTTPURL?
  private let deviceCode: Secret
  private let deadline: Timestamp
  /// Seconds between two questions.
  package private(set) var interval: Int64

  /// The flaws of the answer that cost nothing.
  package let blemishes: [Blemish]

  /// Reads the device authorization response (section 3.2).
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - now: When it came.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``.
  package init(_ json: JSON, receivedAt now: Timestamp) throws(OAuthError) {
    guard let object = json.objectValue else { throw .malformedAnswer(member: "device_code") }
    try self.init(GrantMembers(object), receivedAt: now)
  }

  /// Reads the device authorization response as a grant; see ``init(_:receivedAt:)-(JSON,_)``.
  package init(_ answer: GrantMembers, receivedAt now: Timestamp) throws(OAuthError) {
    var answer = answer
    guard let code = answer.text("device_code") else { throw .malformedAnswer(member: "device_code") }
    guard let userCode = answer.text("user_code") else { throw .malformedAnswer(member: "user_code") }
    // The second is Google's name for it, from before the RFC.
    let name = answer.value("verification_uri") == nil ? "verification_url" : "verification_uri"
    guard let verificationURL = answer.parsed(name, HTTPURL.init) else {
      throw .malformedAnswer(member: answer.value(name) == nil ? "verification_uri" : name)
    }
    deviceCode = Secret(code)
    self.userCode = userCode
    self.verificationURL = verificationURL
    completeURL = answer.parsed("verification_uri_complete", HTTPURL.init)
    deadline = now.adding(seconds: min(answer.seconds("expires_in") ?? 600, 3600))
    // A server that wants longer pauses than it says in a number asks for them: `slow_down`.
    let pause = answer.value("interval")?.numberValue?.double.flatMap { $0 > 0 ? $0 : nil } ?? 5
    interval = Int64(min(max(pause, 1), 300))
    blemishes = answer.blemishes
  }

  /// The form of one question (section 3.4).
  ///
  /// - Parameters:
  ///   - clientID: `nil` for a client that authenticates itself in a field of its own.
  ///   - resource: The resource that the token is for (RFC 8707, section 2.2), of those that the first request named.
  /// - Returns: The form.
  package func question(clientID: String?, resource: ResourceIndicator?) -> FormBody {
    var form = FormBody()
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
    form.add("device_code", deviceCode)
    form.add("client_id", clientID)
    form.add("resource", resource?.description)
    return form
  }

  /// The next step after an answer.
  package enum Step: Sendable {
    /// Wait ``DeviceFlow/interval`` seconds, then ask again.
    case wait
    case granted(TokenResponse)
    /// The server says no for good, in its words.
    case denied(code: String, description: String?)
    case expired
    case failed(OAuthError)
  }

  /// Takes an answer (section 3.5).
  package mutating func take(_ outcome: TokenOutcome, at now: Timestamp) -> Step {
    switch outcome {
    case .granted(let response): return .granted(response)
    case .unusable(_, let error): return .failed(error)
    case .ended(let code, let description, _):
      // Some have one code for all answers, and the RFC's in the description.
      switch meaning(of: code) ?? description.flatMap(meaning) {
      case .pending: break
      case .slower: interval += 5
      case .expired: return .expired
      default: return .denied(code: code, description: description)
      }
    case .unanswered(.failed(.refused(let code, let description, let status))):
      switch meaning(of: code) ?? description.flatMap(meaning) {
      case .pending: break
      case .slower: interval += 5
      case .denied: return .denied(code: code, description: description)
      case .expired: return .expired
      default: return .failed(.refused(code: code, description: description, status: status))
      }
    // Google's status for it; its body may be missing.
    case .unanswered(.failed(.unexplained(status: 428))): break
    case .unanswered(.failed(let error)): return .failed(error)
    // A failing server is asked again, more slowly (section 3.5: exponential back-off).
    case .unanswered(.limited), .unanswered(.serverFailed): interval = min(interval * 2, 60)
    }
    return now < deadline ? .wait : .expired
  }

  private func meaning(of code: String) -> SessionEnds.List? {
    [.pending, .slower, .denied, .expired].first { SessionEnds.has(code, in: $0) }
  }

  /// `true` once the device code has expired, so that no further question can succeed.
  package func isOver(at now: Timestamp) -> Bool { now >= deadline }

  /// The seconds left until then.
  package func secondsLeft(at now: Timestamp) -> Int64 { max(deadline.seconds(since: now), 0) }
}
