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

  /// Reads the device authorization response (section 3.2).
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - now: When it came.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``.
  package init(_ json: JSON, receivedAt now: Timestamp) throws(OAuthError) {
    let answer = json.objectValue
    func url(_ name: String) throws(OAuthError) -> HTTPURL? {
      guard let text = answer?[name]?.stringValue else { return nil }
      do { return try HTTPURL(text) } catch { throw .malformedAnswer(member: name) }
    }
    guard let code = answer?["device_code"]?.stringValue, !code.isEmpty else {
      throw .malformedAnswer(member: "device_code")
    }
    guard let userCode = answer?["user_code"]?.stringValue, !userCode.isEmpty else {
      throw .malformedAnswer(member: "user_code")
    }
    // The second is Google's name for it, from before the RFC.
    let names = ["verification_uri", "verification_url"]
    guard let name = names.first(where: { answer?[$0]?.stringValue != nil }), let verificationURL = try url(name) else {
      throw .malformedAnswer(member: "verification_uri")
    }
    deviceCode = Secret(code)
    self.userCode = userCode
    self.verificationURL = verificationURL
    completeURL = try url("verification_uri_complete")
    let seconds = answer?["expires_in"]?.looseNumber ?? 600
    deadline = now.adding(seconds: Int64(min(max(seconds, 0), 3600)))
    let pause = answer?["interval"]?.looseNumber ?? 5
    interval = Int64(min(max(pause, 1), 300))
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
    case denied
    case expired
    case failed(OAuthError)
  }

  /// Takes an answer (section 3.5).
  package mutating func take(_ outcome: TokenOutcome, at now: Timestamp) -> Step {
    switch outcome {
    case .granted(let response): return .granted(response)
    case .ended: return .expired
    case .unanswered(.failed(.refused(let code, let description, let status))):
      switch code {
      case "authorization_pending": break
      case "slow_down": interval += 5
      case "access_denied": return .denied
      case "expired_token": return .expired
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

  /// `true` once the device code has expired, so that no further question can succeed.
  package func isOver(at now: Timestamp) -> Bool { now >= deadline }

  /// The seconds left until then.
  package func secondsLeft(at now: Timestamp) -> Int64 { max(deadline.seconds(since: now), 0) }
}
