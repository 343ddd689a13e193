import AcctModel
import AcctProtocol
import StrictJSON
import AcctTestSupport
import Testing

/// The device grant as the servers that people have answer it, not only as RFC 8628 writes it.
@Suite("A device sign-in")
struct DevicePollTests {
  private static let now = Timestamp.epoch

  private func flow(_ members: JSONObject) throws -> DeviceFlow {
    var answer: JSONObject = ["device_code": "made-up", "user_code": "BCDF-GHJK"]
    for (name, value) in members { answer[name] = value }
    return try DeviceFlow(.object(answer), receivedAt: Self.now)
  }

  private func step(_ status: Int, _ body: String, type: String? = "application/json") throws -> String {
    var flow = try flow(["verification_uri": "https://as.example/device", "interval": 5])
    let answer = AnswerRow(status, body, "", type: type).answer
    switch flow.take(TokenOutcome(answer, boundTo: nil), at: Self.now) {
    case .wait: return "wait \(flow.interval)"
    case .granted: return "granted"
    case .denied("access_denied", nil): return "denied"
    case .denied(let code, let description): return "denied \(code) \(description ?? "-")"
    case .expired: return "expired"
    case .failed(.refused(let code, _, let status)): return "failed \(status) \(code)"
    case .failed(let error): return "\(error)"
    }
  }

  @Test(
    "A device poll waits, ends or continues by the error, whatever its status",
    arguments: [
      // RFC 8628, section 3.5.
      (400, #"{"error":"authorization_pending"}"#, "wait 5"),
      (400, #"{"error":"slow_down"}"#, "wait 10"),
      (400, #"{"error":"access_denied"}"#, "denied"),
      (400, #"{"error":"expired_token"}"#, "expired"),
      // GitHub: all of them with 200.
      (
        200,
        #"{"error":"authorization_pending","error_description":"The authorization request is still pending."}"#,
        "wait 5"
      ),
      (200, #"{"error":"slow_down","interval":10}"#, "wait 10"),
      (200, #"{"error":"access_denied"}"#, "denied"),
      (200, #"{"error":"expired_token"}"#, "expired"),
      (200, #"{"error":"incorrect_device_code"}"#, "failed 200 incorrect_device_code"),
      (200, #"{"access_token":"gho_made-up","token_type":"bearer","scope":"repo,gist"}"#, "granted"),
      // Google.
      (428, #"{"error":"authorization_pending","error_description":"Precondition Required"}"#, "wait 5"),
      (428, "", "wait 5"), (403, #"{"error":"access_denied"}"#, "denied"),
      (403, #"{"error":"slow_down"}"#, "wait 10"),
      // Microsoft, and others.
      (
        400, #"{"error":"authorization_declined","error_description":"the user declined"}"#,
        "denied authorization_declined the user declined"
      ),
      (400, #"{"error":"code_expired"}"#, "expired"),
      (400, #"{"errors":[{"code":"AUTHORIZATION_PENDING"}]}"#, "wait 5"),
      (400, #"{"error":"invalid_grant","error_description":"authorization_pending"}"#, "wait 5"),
      (
        400, #"{"error":"invalid_grant","error_description":"the person has refused this device"}"#,
        "denied invalid_grant the person has refused this device"
      ),
      (200, "error=authorization_pending&error_description=Still+pending.", "wait 5"),
    ]
  )
  func poll(status: Int, body: String, expected: String) throws {
    #expect(try step(status, body) == expected)
  }

  @Test("A device poll is read under any media type")
  func mediaType() throws {
    for type in ["text/plain; charset=utf-8", "text/html", nil] {
      #expect(try step(400, #"{"error":"authorization_pending"}"#, type: type) == "wait 5")
      #expect(try step(201, #"{"access_token":"a"}"#, type: type) == "granted")
    }
  }

  @Test(
    "A pause that is a text, 0 or nonsense is 5 seconds",
    arguments: ["9", 0, -3, .null, [], "soon", 7, .number(JSONNumber("0.5") ?? .init(0))] as [JSON]
  )
  func interval(value: JSON) throws {
    let expected: Int64 = value == 7 ? 7 : value.numberValue?.literal == "0.5" ? 1 : 5
    #expect(try flow(["verification_url": "https://as.example/", "interval": value]).interval == expected)
  }

  @Test("An address with the code that is empty or can't be used counts as missing")
  func completeAddress() throws {
    for value: JSON in ["", .null, "javascript:alert(1)", 7] {
      let flow = try flow(["verification_uri": "https://as.example/", "verification_uri_complete": value])
      #expect(flow.completeURL == nil)
    }
  }

  @Test("A device answer has its address in verification_uri, or in verification_url")
  func address() throws {
    let google = try flow(["verification_url": "https://www.google.com/device"])
    #expect(google.verificationURL.description == "https://www.google.com/device")
    let both = try flow(["verification_url": "https://old.example/", "verification_uri": "https://new.example/"])
    #expect(both.verificationURL.description == "https://new.example/")
    #expect(throws: OAuthError.malformedAnswer(member: "verification_uri")) { try flow([:]) }
    #expect(throws: OAuthError.malformedAnswer(member: "verification_url")) {
      try flow(["verification_url": "javascript:alert(1)"])
    }
  }
}
