import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Static tokens")
struct StaticTokenTests {
  let record = RecordedWorld()

  /// What `header` prints, after the options of `add`.
  static let lines: [([String], String)] = [
    ([], "Authorization: Bearer \(StaticTokens.token)"),
    (["--scheme", "Token"], "Authorization: Token \(StaticTokens.token)"),
    (["--scheme", "none"], "Authorization: \(StaticTokens.token)"),
    (["--header", "X-API-Key"], "X-API-Key: \(StaticTokens.token)"),
    (["--header", "X-API-Key", "--scheme", "none"], "X-API-Key: \(StaticTokens.token)"),
    (["--header", "X-Auth", "--scheme", "Key"], "X-Auth: Key \(StaticTokens.token)"),
    (["--header", "authorization"], "authorization: Bearer \(StaticTokens.token)"),
    (["--basic", "alice"], "Authorization: Basic YWxpY2U6bWFkZS11cC1zdGF0aWMtdG9rZW4="),
    (["--basic", ""], "Authorization: Basic Om1hZGUtdXAtc3RhdGljLXRva2Vu"),
    (["--basic", "a b", "--name", "work"], "Authorization: Basic YSBiOm1hZGUtdXAtc3RhdGljLXRva2Vu"),
  ]

  @Test("A static token is sent in the header and the form that the user names", arguments: lines)
  func forms(_ options: [String], _ line: String) async throws {
    record.secretFiles["token"] = StaticTokens.token
    let add = ["add", "--token", "token", "--allow-origin", StaticTokens.origin]
    #expect(await record.run(add + options) == 0)
    #expect(await record.acct("header", "https://api.example/v1") == 0)
    #expect(record.out == "\(line)\n")
    record.serve(200, "well")
    #expect(await record.acct("request", "https://api.example/v1") == 0)
    let field = try #require(record.requests.last?.fields.first)
    #expect("\(field.name): \(text(of: field.value))" == line)
    // Whatever form it has on a line, the token itself is what the user gave.
    #expect(await record.acct("token") == 0)
    #expect(record.out == "\(StaticTokens.token)\n")
    #expect(await record.acct("exec", "--", "env") == 0)
    #expect(record.exec.calls.last?.assignment == "ACCT_TOKEN=\(StaticTokens.token)")
  }

  @Test("A static token goes to the origins that the user allowed and to no other")
  func origins() async {
    await record.addToken()
    #expect(record.err == ["acct: added static@api.example"])
    #expect(await record.acct("header", "https://other.example/") == 8)
    #expect(await record.acct("request", "https://other.example/") == 8)
    #expect(await record.acct("allow", "static@api.example", "https://other.example") == 0)
    #expect(await record.acct("header", "https://other.example/") == 0)
    #expect(record.requests.isEmpty)
  }

  static let files: [(String, String)] = [("abc", "abc"), ("abc\n", "abc"), ("abc\r\n", "abc"), ("!~\"\\", "!~\"\\")]

  @Test("A static token is the file's contents without the line break at its end", arguments: files)
  func contents(_ contents: String, _ token: String) async {
    #expect(await record.addToken(contents) == 0)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "\(token)\n")
  }

  @Test("A static token can come from standard input")
  func standardInput() async {
    record.provide("-", "from-a-pipe\n")
    #expect(await record.acct("add", "--token", "-", "--allow-origin", "https://api.example") == 0)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "from-a-pipe\n")
  }

  static let badFiles: [(String, String)] = [
    ("", "contains no token"), ("\n", "contains no token"), ("a\nb\n", "more than one line"),
    ("a\n\n", "more than one line"), ("a\rb", "more than one line"), ("Bearer abc", "a space"), ("a\tb", "a space"),
    ("abc\u{7}", "a character"), ("t\u{F6}ken", "a character"), ("a\u{0}b", "a character"),
  ]

  @Test("A file that contains no static token is rejected", arguments: badFiles)
  func badContents(_ contents: String, _ words: String) async {
    #expect(await record.addToken(contents) == 65)
    #expect(record.err.first?.contains(words) == true, "\(record.err)")
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("A file that others can read is rejected with the command that mends it")
  func exposed() async {
    record.secretFiles.expose("token")
    let options = ["--allow-origin", "https://api.example"]
    #expect(await record.run(["add", "--token", "token"] + options) == 65)
    #expect(record.err.last?.contains("`chmod 600 token`") == true)
    #expect(record.accountFiles == 0)
  }

  @Test("A token that is given in place of its file is not repeated", arguments: [[], ["--json"]])
  func typed(_ options: [String]) async {
    let line = ["add", "--token", StaticTokens.token, "--allow-origin", "https://api.example"]
    #expect(await record.run(line + options) == 65)
    #expect(record.err.joined().contains("--token names a file, and there is no such file"))
    #expect(!(record.out + record.err.joined()).contains(StaticTokens.token))
  }

  @Test(
    "A client's secret or key that is given in place of its file is not repeated",
    arguments: ["--client-secret-file", "--client-key"]
  )
  func typedClientSecret(_ option: String) async {
    let line = ["--issuer", "https://as.example", "--client-id", "c", "--device"]
    #expect(await record.run(["add"] + line + [option, StaticTokens.token]) == 65)
    #expect(record.err.first?.contains("there is no such file") == true, "\(record.err)")
    #expect(!(record.out + record.err.joined()).contains(StaticTokens.token))
  }

  static let misuses: [[String]] = [
    [], ["--header", "Host"], ["--header", "content-length"], ["--header", "Connection"],
    ["--header", "Transfer-Encoding"], ["--header", "DPoP"], ["--header", "Cookie"], ["--header", "Sec-Fetch-Site"],
    ["--header", "Proxy-Authorization"], ["--header", "a b"], ["--header", ""], ["--header", "X:"],
    ["--scheme", "a b"],
    ["--scheme", ""], ["--scheme", "DPoP"], ["--basic", "a:b"], ["--basic", "a\nb"],
    ["--basic", "a", "--scheme", "none"], ["--basic", "a", "--header", "X-API-Key"], ["--expires", "soon"],
    ["--expires", "2027-13-01"], ["--expires", "2027-01-14"], ["--expires", "2027-01-15T08:00:00Z"],
    ["--guest", "https://api.example"], ["--scope", "Token"], ["--client-id", "c"], ["--no-browser"],
    ["--redirect-port", "8080"],
  ]

  @Test("A static token that can't be sent as the user asks is bad usage", arguments: misuses)
  func misuse(_ options: [String]) async {
    record.secretFiles["token"] = StaticTokens.token
    let origin = options.isEmpty ? [] : ["--allow-origin", "https://api.example"]
    #expect(await record.run(["add", "--token", "token"] + origin + options) == 64)
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
    #expect(!record.err.joined().contains(StaticTokens.token))
  }

  @Test("The options of a static token without it are bad usage")
  func noToken() async {
    for option in ["--header", "--scheme", "--basic", "--expires"] {
      #expect(await record.acct("add", "--guest", "https://api.example", option, "x") == 64)
    }
    #expect(record.requests.isEmpty)
  }

  @Test("A static token that is bound to a DPoP key is rejected")
  func bound() async {
    let token = Handoffs.token(["cnf": ["jkt": .string(Handoffs.thumbprint)]])
    #expect(await record.addToken(token) == 65)
    #expect(record.err.last?.contains("--import") == true)
  }

  @Test("A static account in JSON tells how its token is sent, and nothing of the token")
  func json() async {
    await record.addToken("\(StaticTokens.token)", at: StaticTokens.origin, "--header", "X-Key")
    #expect(await record.acct("status", "--json") == 0)
    #expect(!record.out.contains(StaticTokens.token))
    let account = record.json?.objectValue?["account"]
    #expect(account?["kind"] == "static" && account?["tokenType"] == "static")
    #expect(account?["sentAs"] == ["header": "X-Key", "scheme": nil, "user": nil])
    #expect(account?["origins"] == ["https://api.example"])
    #expect(account?["state"] == "valid" && account?["expiresAt"] == .null)
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("X-Key: TOKEN"))
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("static@api.example"))
    #expect(!record.filesText.contains(StaticTokens.token))
  }
}
