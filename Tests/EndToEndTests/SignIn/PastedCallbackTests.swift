import AcctTestSupport
import Testing

/// `acct add --issuer --no-browser`, where the user brings the callback back by hand.
@Suite("Signing in with a pasted callback")
struct PastedCallbackTests {
  @Test("A wrong pasted callback is reported and asked for again, and the right one signs in")
  func pasted() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let input = try OpenInput()
    let waiting = try await WaitingSignIn(input.feeding(home.signIn(at: server, browser: nil)))
    let callback = try await waiting.callback()
    for wrong in ["not an address", callback.replacing("code=", with: "code=x&state=y&c=")] {
      let said = waiting.said
      try input.type(wrong)
      try await waiting.process.ready { waiting.said != said }
      #expect(waiting.said.dropFirst(said.count).contains("not the callback"))
    }
    try input.type(callback)
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    #expect(try await home.accounts().count == 1)
    // What was pasted holds a code.
    #expect(!waiting.said.contains("code="))
    try await server.expectNothingWrong()
  }

  @Test("The listener takes the callback too while standard input is open")
  func heard() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let input = try OpenInput()
    let waiting = try await WaitingSignIn(input.feeding(home.signIn(at: server, browser: nil)))
    #expect(try await ChildProcess(StrictServer.browser, [waiting.address]).run().status == 0)
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    #expect(try await home.accounts().count == 1)
  }

  @Test("Standard input that ends without the right callback exits 3 and stores nothing")
  func ended() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    var command = home.signIn(at: server, browser: nil)
    command.input = Array("http://127.0.0.1:1/callback?code=a&state=b\n".utf8)
    let ended = try await command.run()
    #expect(ended.status == 3, "\(ended.errorText)")
    #expect(ended.errorText.contains("not the callback"))
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A browser that fails does not end the sign-in, whose address is on standard error")
  func browserFails() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let input = try OpenInput()
    let waiting = try await WaitingSignIn(input.feeding(home.signIn(at: server, browser: "fail")))
    try input.type(try await waiting.callback())
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
  }
}
