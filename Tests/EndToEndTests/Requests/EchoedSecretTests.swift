import AcctTestSupport
import StrictJSON
import Testing

/// A real server that quotes in its errors what it got, one kind of answer after the other.
@Suite("A server that quotes secrets that it got")
struct EchoedSecretTests {
  private let server: StrictServer
  private let home: AcctHome

  init() async throws {
    server = try await StrictServer(["device_interval": 1])
    home = try AcctHome()
  }

  /// Has an endpoint's next answer that matters quote its request.
  private func echo(
    at endpoint: String,
    _ error: String = "invalid_request",
    grant: String? = nil,
    skip: Int64 = 0
  ) async throws {
    var fault: JSONObject = [
      "endpoint": .string(endpoint), "kind": "echo", "error": .string(error),
      "count": .null, "skip": .number(JSONNumber(skip)),
    ]
    fault["grant_type"] = grant.map(JSON.string)
    try await server.fault(.object(fault))
  }

  /// Asserts that no secret was said, printed, or put into a file.
  private func expectNoSecret(
    in output: ChildProcess.Output,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let shown = output.text + output.errorText
    let secrets = try await server.control("secrets")
    for (kind, values) in secrets {
      for value in values.arrayValue?.compactMap(\.stringValue) ?? [] {
        // In part as well, from 8 characters on.
        let isShown = value.count > 8 ? shown.contains(value.suffix(8)) : shown.contains(value)
        #expect(!isShown, "\(kind)", sourceLocation: location)
      }
    }
    #expect(try await home.files(containing: secretForms).isEmpty, sourceLocation: location)
  }

  @Test("A quoted refresh token is neither shown nor stored as the reason of a renewal", arguments: [false, true])
  func refreshToken(asJSON: Bool) async throws {
    try await home.importExpired(from: server)
    try await echo(at: "token", "invalid_grant")
    let output = try await home.command(["refresh", "--force"] + (asJSON ? ["--json"] : [])).run()
    #expect(output.status == 4)
    #expect(output.errorText.contains("refresh_token=<redacted>&"), "\(output.errorText)")
    try await expectNoSecret(in: output)
    let reason = try #require(try await home.accounts().first?["reason"]?.stringValue)
    #expect(reason.contains("grant_type=refresh_token&refresh_token=<redacted>&"), "\(reason)")
  }

  @Test("A quoted code and its verifier are not shown if the exchange is rejected")
  func code() async throws {
    try await echo(at: "token", grant: "authorization_code")
    let output = try await home.signIn(at: server).run()
    #expect(output.status == 11)
    #expect(output.errorText.contains("&code=<redacted>&"), "\(output.errorText)")
    #expect(output.errorText.contains("&code_verifier=<redacted>"))
    try await expectNoSecret(in: output)
  }

  @Test("A quoted state of a pushed request is not shown, and words that are no secret are")
  func pushedRequest() async throws {
    try await echo(at: "par")
    let output = try await home.signIn(at: server).run()
    #expect(output.status == 11)
    #expect(output.errorText.contains("&state=<redacted>&"), "\(output.errorText)")
    #expect(output.errorText.contains("response_type=code&client_id=acct-test&"))
    try await expectNoSecret(in: output)
  }

  @Test("A quoted device code is not shown if the token request is rejected")
  func deviceCode() async throws {
    let grant = "urn:ietf:params:oauth:grant-type:device_code"
    try await echo(at: "token", grant: grant)
    let output = try await home.signIn(at: server, browser: nil, "--device").run()
    #expect(output.status == 11)
    #expect(output.errorText.contains("device_code=<redacted>&"), "\(output.errorText)")
    try await expectNoSecret(in: output)
  }

  @Test("A quoted state of a callback is not shown, even in base64")
  func callback() async throws {
    try await server.set(["par": "off"])
    let input = try OpenInput()
    let waiting = try await WaitingSignIn(input.feeding(home.signIn(at: server, browser: nil)))
    let state = try #require(waiting.address.firstMatch(of: /[?&]state=([^&]+)/)?.1)
    let callback = try await waiting.callback()
    let place = try #require(callback.split(separator: "?").first)
    let shown = waiting.said
    let encoded = try await ChildProcess("base64", ["-w0"], input: "state \(state)").run().text
    let issuer = server.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
    try input.type(
      "\(place)?error=access_denied&error_description=no%20\(state)%20or%20\(encoded)" + "&state=\(state)&iss=\(issuer)"
    )
    #expect(await waiting.process.ended() == 4)
    let said = waiting.said.dropFirst(shown.count)
    #expect(said.contains("no <redacted> or c3RhdG"), "\(said)")
    #expect(!said.contains(state.suffix(8)))
    #expect(!said.contains(encoded.suffix(12)))
  }
}
