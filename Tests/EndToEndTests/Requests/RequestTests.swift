import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct request")
struct RequestTests {
  @Test(
    "A request writes the body of any answer and exits by its status",
    arguments: [
      (200, Int32(0)), (204, 0), (301, 0), (304, 0), (400, 1), (401, 4), (403, 1), (404, 1), (418, 1), (429, 9),
      (500, 11), (503, 11),
    ]
  )
  func statuses(_ answer: Int, _ status: Int32) async throws {
    let server = try await FlowServer()
    let output = try await server.home().acct("request", "\(server.url)/status/\(answer)")
    #expect(output.status == status, "\(output.errorText)")
    #expect(output.text == ([204, 304].contains(answer) ? "" : "no: \(answer)\n"))
    #expect(output.errorText.isEmpty == (status == 0))
  }

  @Test("A request is GET without -d, POST with it, and any other method is sent unchanged")
  func methods() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    for (arguments, method) in [
      (["\(server.url)/echo"], "GET"), (["\(server.url)/echo", "-d", ""], "POST"),
      (["PATCH", "\(server.url)/echo", "-d", "x"], "PATCH"),
      (["DELETE", "\(server.url)/echo"], "DELETE"), (["POST", "\(server.url)/echo"], "POST"),
    ] {
      let echo = try await home.request(arguments)
      #expect(echo["method"] == .string(method))
      #expect(echo.values(of: "Authorization") == ["Bearer made-up"])
      #expect(echo.values(of: "Content-Type").isEmpty)
    }
    let head = try await home.acct("request", "HEAD", "\(server.url)/status/404", "-i")
    #expect(head.status == 1)
    #expect(head.text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
  }

  @Test("The option -i prints status line and headers before the body")
  func include() async throws {
    let server = try await FlowServer()
    let url = "\(server.url)/status/302?Location=/elsewhere"
    let output = try await server.home().acct("request", "-i", url)
    #expect(
      output.text == """
        HTTP/1.1 302 Found\r
        Location: /elsewhere\r
        Connection: close\r
        Content-Length: 8\r
        \r
        no: 302

        """
    )
    #expect(output.errorText == "acct: redirects are not followed; this one leads to /elsewhere\n")
    #expect(try await server.seen("/elsewhere") == 0)
  }

  @Test("The option -H adds header lines, also several of one name")
  func headers() async throws {
    let server = try await FlowServer()
    let echo = try await server.home().request([
      "\(server.url)/echo", "-H", "X-A: 1", "-H", "X-A:2", "-H", "Content-Type: text/plain",
      "--header", "X-Empty:", "-d", "x",
    ])
    #expect(echo.values(of: "X-A") == ["1", "2"])
    #expect(echo.values(of: "Content-Type") == ["text/plain"])
    #expect(echo.values(of: "X-Empty") == [""])
  }

  @Test(
    "The option -H can't replace acct's own fields, and then uses neither network nor keyring",
    arguments: ["Authorization: Bearer x", "dpop: x", "Host: x", "content-length: 1", "X-A", "X A: b"]
  )
  func forbiddenHeaders(_ line: String) async throws {
    let server = try await FlowServer()
    let output = try await server.home().acct("request", "\(server.url)/echo", "-H", line)
    #expect(output.status == 64)
    #expect(output.text.isEmpty)
    #expect(try await server.seen("/echo") == 0)
  }

  @Test("Another origin is rejected before the keyring is used")
  func otherOrigin() async throws {
    let server = try await FlowServer()
    let other = try await FlowServer()
    let home = try await server.home()
    var command = home.command(["request", "\(other.url)/echo", "-d", "x"])
    // A command that needs the vault now fails, since it is locked (6).
    command.environment["ACCT_VAULT_PASSPHRASE_FILE"] = "/nonexistent"
    let output = try await command.run()
    #expect(output.status == 8)
    #expect(output.errorText.contains("allowed: \(server.url)"))
    #expect(try await other.seen("/echo") == 0)
  }

  @Test("A server that is not there is a network failure")
  func nobody() async throws {
    let home = try await FlowServer().home()
    let port = try FreePort().number
    let account = try #require(try await home.accounts().first?["name"]?.stringValue)
    let url = "http://127.0.0.1:\(port)"
    #expect(try await home.acct("allow", account, url).status == 0)
    #expect(try await home.acct("request", url).status == 10)
  }
}

extension AcctHome {
  /// Makes a request that is answered with an echo, and returns that.
  func request(_ arguments: [String], input: String = "") async throws -> JSONObject {
    let output = try await command(["request"] + arguments, input: input).run()
    try #require(output.status == 0, "\(output.errorText)")
    return try #require(try JSON(parsing: output.standardOutput).objectValue)
  }
}

extension JSONObject {
  /// The values of a header in an echo, in order.
  func values(of name: String) -> [String] {
    (self["headers"]?.arrayValue ?? []).compactMap { field in
      guard let pair = field.arrayValue, pair.first?.stringValue?.lowercased() == name.lowercased() else { return nil }
      return pair.last?.stringValue
    }
  }
}
