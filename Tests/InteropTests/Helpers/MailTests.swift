import AcctTestSupport
import StrictJSON
import Testing

@Suite("Mail with an account's token: mbsync at Dovecot, and msmtp")
struct MailTests {
  private static let token = "made-up-token-for-mail"

  private let folder: TemporaryFolder
  /// The server's, which runs as another user if root runs the tests.
  private let place: TemporaryFolder
  private let port: FreePort
  private let server: PythonServer
  private let user: String
  private let home: AcctHome

  init() async throws {
    folder = try TemporaryFolder()
    place = try TemporaryFolder()
    port = try FreePort()
    let arguments = [place.path, "\(port.number)", Self.token]
    server = try await PythonServer("Recipes/mail_server.py", arguments)
    user = try server.address("user")
    home = try AcctHome()
    try await home.addBearer("mail", at: "https://mail.example", token: Self.token)
  }

  @Test("mbsync fetches mail by XOAUTH2 with the recipe's PassCmd")
  func isync() async throws {
    let box = try folder.folder("box")
    // The recipe, at this server, which has no TLS.
    let recipe = try await ChildProcess(
      "sed",
      [
        "-e", "s/^Host .*/Host 127.0.0.1/", "-e", "s/^SSLType .*/SSLType None/",
        "-e", "s/^Port .*/Port \(port.number)/", "-e", "s/^User .*/User \(user)/",
        "-e", "s|~/Mail|\(box)|", Product.source("Examples/programs/mbsyncrc"),
      ]
    ).run().text
    let settings = try folder.file("mbsyncrc", containing: recipe)
    let fetched = try await home.program("mbsync", ["-c", settings, "mail"]).run()
    #expect(fetched.status == 0, "\(fetched.errorText)")
    let found = try await ChildProcess("grep", ["-rh", "note of bob", box]).run()
    #expect(found.text == "A note of bob's.\n")
  }

  @Test("A SASL initial response is all that the server needs", arguments: ["xoauth2", "oauthbearer"])
  func initialResponse(_ mechanism: String) async throws {
    let right = try await home.acct("token", "--sasl", mechanism, "--user", user)
    try #require(right.status == 0, "\(right.errorText)")
    #expect(try await answer(to: right.text, mechanism) == "OK\n")
    try await home.addBearer("other", at: "https://mail.example", token: "another")
    let wrong = try await home.acct("token", "--sasl", mechanism, "--user", user)
    #expect(try await answer(to: wrong.text, mechanism) == "NO\n")
  }

  @Test("msmtp sends mail with the recipe", arguments: ["oauthbearer", "xoauth2"])
  func msmtp(_ mechanism: String) async throws {
    let sender = "alice@mail.example"
    let server = try await PythonServer("Recipes/smtp_server.py", [sender, Self.token])
    // The recipe, at this server, which has no TLS.
    let recipe = try await ChildProcess(
      "sed",
      [
        "-e", "s/^host .*/host 127.0.0.1/", "-e", "s/^port .*/port \(server.greeting)/", "-e", "s/^tls .*/tls off/",
        "-e", "s/^auth .*/auth \(mechanism)/", Product.source("Examples/programs/msmtprc"),
      ]
    ).run().text
    let settings = try folder.file("msmtprc", containing: recipe)
    let message = "Subject: a note\n\nA note of alice's.\n"
    let sent = try await home.program("msmtp", ["-C", settings, "bob@example.com"], input: message).run()
    #expect(sent.status == 0, "\(sent.errorText)")
    let taken = try JSON(parsing: Array(server.output.split(separator: "\n")[1].utf8))
    #expect(taken["from"] == .string(sender))
    #expect(taken["mechanism"] == .string(mechanism.uppercased()))
  }

  private func answer(to response: String, _ mechanism: String) async throws -> String {
    let script = "Tests/Recipes/authenticate.py"
    let tried = try await python(script, "\(port.number)", mechanism, input: response)
    try tried.mustHaveWorked()
    return tried.text
  }
}
