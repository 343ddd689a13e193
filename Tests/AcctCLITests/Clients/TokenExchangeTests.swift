import AcctModel
import AcctCLI
import AcctPorts
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// Tokens of a platform, as it writes them into files.
enum PlatformTokens {
  static let path = "/var/run/secrets/tokens/acct"

  /// A JWT of an hour, with a number that tells it from others.
  static func jwt(_ number: Int64 = 1, _ claims: JSONObject = [:]) -> String {
    var all: JSONObject = [
      "iss": "https://platform.example", "sub": "system:serviceaccount:web:api", "exp": 1_800_003_600,
      "jti": .number(JSONNumber(number)),
    ]
    for (name, value) in claims { all[name] = value }
    return Handoffs.token(all)
  }

  /// The answer to an exchange.
  static func answer(_ name: String, _ members: JSONObject = [:]) -> HTTPResponse {
    var all: JSONObject = [
      "refresh_token": .null, "sub": .null, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
    ]
    for (name, value) in members { all[name] = value }
    return RecordedServer.tokens(name, all)
  }
}

@Suite("An account whose token is exchanged for another issuer's")
struct TokenExchangeTests {
  private let record = RecordedWorld()
  private let begin = ["add", "--issuer", RecordedServer.issuer, "--grant", "token-exchange"]

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(begin + ["--subject-token-file", PlatformTokens.path] + options)
  }

  private func form(_ token: String, _ rest: String = "") -> String {
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange\(rest)&subject_token=\(token)"
      + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
  }

  @Test("A file's token is exchanged at the sign-in, and the one that it then has at each renewal")
  func file() async throws {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt(1)
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"), PlatformTokens.answer("b"))
    #expect(await add("--scope", "read", "--no-input") == 0, "\(record.err)")
    #expect(record.err.contains("acct: added system:serviceaccount:web:api@as.example"), "\(record.err)")
    #expect(record.accountFile?["canRenew"] == true)
    #expect(record.keyring.items.values.first?[.refreshToken] == nil)
    #expect(server.bodies("/token") == [form(PlatformTokens.jwt(1), "&scope=read")])
    #expect(!record.filesText.contains(PlatformTokens.jwt(1)))

    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt(2) + "\n"
    record.now += 3500
    record.clear()
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-b-long-enough\n")
    #expect(server.bodies("/token").last == form(PlatformTokens.jwt(2), "&scope=read"))
    record.clear()
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("starts from") && record.out.contains(PlatformTokens.path), "\(record.out)")
  }

  @Test("What an exchange asks for is what the options say, and the account signs in again so")
  func options() async throws {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    #expect(
      await add(
        "--client-id",
        "robot",
        "--audience",
        "one",
        "--audience",
        "two",
        "--requested-type",
        "access",
        "--subject-type",
        "urn:example:kind",
        "--resource",
        "https://api.example/"
      ) == 0,
      "\(record.err)"
    )
    #expect(await record.acct("login") == 0, "\(record.err)")
    let bodies = server.bodies("/token")
    #expect(bodies.count == 2 && bodies[0] == bodies[1])
    for part in [
      "&client_id=robot", "&audience=one&audience=two",
      "&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token",
      "&subject_token_type=urn%3Aexample%3Akind", "&resource=https%3A%2F%2Fapi.example%2F",
    ] { #expect(bodies[0].contains(part), "\(bodies[0])") }
    #expect(record.accountFile?["origins"] == ["https://api.example"])
    #expect(record.accountFiles == 1)
    // Another audience is another account.
    #expect(await add("--client-id", "robot", "--audience", "three", "--resource", "https://api.example/") == 0)
    #expect(record.accountFiles == 2)
  }

  @Test("An ID token that an exchange issued is printed by token --id, beside an access token or in its place")
  func idToken() async throws {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    func idToken(_ number: Int64, until end: Int64) -> String {
      PlatformTokens.jwt(number, ["iss": .string(RecordedServer.issuer), "aud": "cluster", "exp": JSON(end)])
    }
    let tokens = [idToken(1, until: 1_800_003_600), idToken(2, until: 1_800_010_000)]
    let uri = "urn:ietf:params:oauth:token-type:id_token"
    let beside = tokens.map { PlatformTokens.answer("a", ["id_token": .string($0)]) }
    let instead = tokens.map {
      PlatformTokens.answer("a", ["access_token": .string($0), "token_type": "N_A", "issued_token_type": .string(uri)])
    }
    for (answers, options) in [(beside, ["--audience", "x"]), (instead, ["--requested-type", "id"])] {
      record.now = 1_800_000_000
      _ = RecordedServer(record, tokens: answers[0], answers[1])
      #expect(await record.run(begin + ["--subject-token-file", PlatformTokens.path] + options) == 0, "\(record.err)")
      record.clear()
      #expect(await record.run(["token", "--id"]) == 0, "\(record.err)")
      #expect(record.out == "\(tokens[0])\n")
      // Renewed by another exchange.
      record.now += 3400
      record.clear()
      #expect(await record.run(["token", "--id"]) == 0, "\(record.err)")
      #expect(record.out == "\(tokens[1])\n")
      #expect(!record.filesText.contains(tokens[1]))
    }
  }

  @Test("An exchange's ID token, which no sign-in checks, may name another issuer and subject at each renewal")
  func issuersOfIDTokens() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let answers = ["one", "two"].map { name in
      PlatformTokens.answer(
        name,
        [
          "id_token": .string(
            PlatformTokens.jwt(1, ["iss": .string("https://\(name).example"), "sub": .string(name), "aud": "x"])
          )
        ]
      )
    }
    _ = RecordedServer(record, tokens: answers[0], answers[1])
    #expect(await add("--audience", "x") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "at-two-long-enough\n")
  }

  @Test("An exchange without an ID token has none to print, and what it has instead is not taken for one")
  func noIDToken() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let saml = "urn:ietf:params:oauth:token-type:saml2"
    for answer in [
      PlatformTokens.answer("a"), PlatformTokens.answer("a", ["id_token": "made-up"]),
      PlatformTokens.answer("a", ["token_type": "N_A", "issued_token_type": .string(saml)]),
    ] {
      _ = RecordedServer(record, tokens: answer)
      #expect(await add("--audience", "\(record.accountFiles)") == 0, "\(record.err)")
      record.clear()
      #expect(await record.run(["token", "--id"]) == 64, "\(record.err)")
      #expect(record.out.isEmpty)
      #expect(await record.acct("token") == 0)
    }
  }

  @Test("A program's token is exchanged, run without a shell each time")
  func program() async throws {
    record.programs.install("print-token", answering: [["--for", "a b", "$HOME"]: PlatformTokens.jwt(7) + "\n"])
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    let line = #"print-token --for 'a b' "\$HOME""#
    #expect(await record.run(begin + ["--subject-token-command", line]) == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(record.programs.calls.count == 2)
    #expect(record.programs.calls.allSatisfy { $0.timeLimit == .seconds(30) && $0.outputLimit == 65_536 })
    #expect(server.bodies("/token") == [form(PlatformTokens.jwt(7)), form(PlatformTokens.jwt(7))])
  }

  @Test("A program that fails is told with the first line of its words, and no secret of theirs")
  func failingPrograms() async {
    _ = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    let secret = PlatformTokens.jwt(9)
    record.programs.install("fails") { _ throws(ProgramFailure) in
      ProgramResult(status: 3, output: Secret(secret), errors: Secret("no \(secret) here\nsecond"))
    }
    record.programs.install("silent") { _ throws(ProgramFailure) in ProgramResult(status: 0, output: Secret("\n")) }
    record.programs.install("slow") { call throws(ProgramFailure) in throw .timedOut(program: call.program) }
    record.programs.install("long") { call throws(ProgramFailure) in throw .tooLong(program: call.program) }
    record.programs.install("chatty") { _ throws(ProgramFailure) in
      ProgramResult(status: 0, output: Secret("two words"))
    }
    for (program, words) in [
      ("fails", "acct: fails ended with status 3: no <redacted> here"), ("silent", "acct: silent printed no token"),
      ("slow", "acct: slow did not end in time"), ("long", "acct: long printed too much"),
      ("absent", "acct: absent is not installed"),
      ("chatty", "acct: the token of chatty is not one word, so it is no token"),
    ] {
      record.clear()
      #expect(await record.run(begin + ["--subject-token-command", program]) == 65, "\(program): \(record.err)")
      #expect(record.err.first == words, "\(record.err)")
      #expect(!record.err.joined().contains(secret))
    }
    #expect(record.requests.isEmpty && record.accountFiles == 0)
  }

  @Test("A file whose token is of no use is named before anything is sent, and nothing is lost")
  func badFiles() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    #expect(await add() == 0, "\(record.err)")
    // In no order.
    let files = Set(record.filesText.split(separator: "\n"))
    let sent = record.requests.count
    let path = PlatformTokens.path
    for (contents, status, words) in [
      (nil, 65, "\(path): no such file"), ("\n", 65, "\(path) is empty"), ("opaque", 65, "\(path) is not a JWT"),
      ("a b", 65, "\(path) is not one word, so it is no token"),
      (PlatformTokens.jwt(1, ["exp": 1_799_999_999]), 4, "\(path) ended at 2027-01-15T07:59:59Z"),
    ] as [(String?, Int32, String)] {
      record.secretFiles[path] = contents
      record.clear()
      #expect(await record.acct("refresh", "--force") == status, "\(words): \(record.err)")
      #expect(record.err.first == "acct: \(words)")
      #expect(record.requests.count == sent)
      // All that a renewal leaves that fails before it sends anything.
      record.forget(.renewals)
      #expect(Set(record.filesText.split(separator: "\n")) == files)
    }
    record.secretFiles[path] = PlatformTokens.jwt()
    record.secretFiles.expose(path)
    record.clear()
    #expect(await record.acct("refresh", "--force") == 65)
    #expect(record.err.first == "acct: \(path): its group or others can read or write it")
    #expect(record.requests.count == sent && server.bodies("/token").count == 1)
    // The old token serves as long as it is valid.
    record.clear()
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
  }

  @Test("An opaque token is taken where its type is another one than a JWT's")
  func opaque() async {
    record.secretFiles[PlatformTokens.path] = "opaque"
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    #expect(await add("--subject-type", "access", "--client-id", "robot") == 0, "\(record.err)")
    #expect(server.bodies("/token").first?.contains("&subject_token=opaque&") == true)
    #expect(record.err.contains("acct: added robot@as.example"), "\(record.err)")
  }

  @Test("Another account's token is exchanged where it may go, renewed first")
  func account() async throws {
    record.secretFiles["secret"] = "s3cret"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a", ["refresh_token": .null, "sub": .null]))
    let other = ["add", "--token-url", "https://sts.example/exchange", "--grant", "token-exchange", "--client-id", "x"]
    #expect(
      await record.run([
        "add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--client-secret-file", "secret", "--grant",
        "client-credentials", "--name", "first",
      ]) == 0,
      "\(record.err)"
    )
    server.set("/exchange", PlatformTokens.answer("x"))
    let line = other + ["--subject-account", "first", "--subject-type", "access", "--name", "second"]
    #expect(await record.run(line) == 8, "\(record.err)")
    #expect(await record.acct("allow", "first", "https://sts.example") == 0)
    #expect(await record.run(line) == 0, "\(record.err)")
    server.set("/token", RecordedServer.tokens("b", ["refresh_token": .null, "sub": .null]))
    record.now += 3590
    record.clear()
    #expect(await record.acct("header", "-a", "second", "https://sts.example/x") == 0, "\(record.err)")
    #expect(server.bodies("/exchange").last?.contains("&subject_token=at-b-long-enough&") == true)
    #expect(await record.acct("status", "-a", "second") == 0)
    #expect(record.out.contains("the token of first\n"), "\(record.out)")
    // By default its ID token is meant.
    record.clear()
    #expect(await record.run(other + ["--subject-account", "first"]) == 64)
    #expect(record.err.first?.hasPrefix("acct: first has no ID token") == true, "\(record.err)")
    #expect(record.err.last?.contains("--subject-type access") == true, "\(record.err)")
    // Without the first one there is nothing to exchange.
    #expect(await record.acct("remove", "--local", "first") == 0)
    #expect(await record.acct("refresh", "--force", "second") == 65, "\(record.err)")
    #expect(record.accountFiles == 1)
  }

  @Test("A token that is no bearer token is printed, and goes into no header")
  func notBearer() async throws {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let types = [
      ("N_A", "urn:ietf:params:oauth:token-type:saml2", true),
      ("Bearer", "urn:ietf:params:oauth:token-type:id_token", true),
      // A server that leaves out a member that it has to send has issued what was requested.
      ("Bearer", "urn:ietf:params:oauth:token-type:id_token", false),
    ]
    for (type, issued, isNamed) in types {
      _ = RecordedServer(
        record,
        tokens: PlatformTokens.answer(
          "a",
          ["token_type": .string(type), "issued_token_type": isNamed ? .string(issued) : .null]
        )
      )
      #expect(await add("--requested-type", issued) == 0, "\(record.err)")
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      record.clear()
      #expect(await record.acct("token") == 0, "\(record.err)")
      #expect(record.out == "at-a-long-enough\n")
      for line in [["header", "https://as.example/x"], ["request", "https://as.example/x"]] {
        record.clear()
        #expect(await record.run(line) == 64, "\(record.err)")
        #expect(record.out.isEmpty)
      }
    }
    _ = RecordedServer(
      record,
      tokens: PlatformTokens.answer("a", ["issued_token_type": "urn:ietf:params:oauth:token-type:refresh_token"])
    )
    #expect(await add("--audience", "x") == 11, "\(record.err)")
  }

  @Test("A token that is no bearer token does not go to the userinfo endpoint, at a sign-in or a check")
  func notForUserinfo() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let issued = "urn:ietf:params:oauth:token-type:id_token"
    let server = RecordedServer(
      record,
      [
        RecordedServer.place: [RecordedServer.metadata(["userinfo_endpoint": "https://as.example/me"])],
        "/token": [PlatformTokens.answer("a", ["issued_token_type": .string(issued)])],
        "/start": [RecordedServer.start], "/me": [.json(#"{"sub":"alice"}"#)],
      ]
    )
    #expect(await add("--scope", "openid") == 0, "\(record.err)")
    _ = await record.acct("status", "--check")
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 0, "\(record.err)")
    #expect(server.bodies("/me").isEmpty)
  }

  @Test("A refused exchange ends nothing")
  func refusals() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    #expect(await add() == 0, "\(record.err)")
    for (code, exit) in [("invalid_grant", 11), ("invalid_request", 11), ("invalid_target", 4)] as [(String, Int32)] {
      server.set("/token", .json(#"{"error":"\#(code)"}"#, 400))
      #expect(await record.acct("refresh", "--force") == exit, "\(code): \(record.err)")
      #expect(record.accountFile?["standing"] == "signedIn")
    }
  }

  @Test("An account of this machine's tokens is neither exported nor shared")
  func local() async {
    record.secretFiles[PlatformTokens.path] = PlatformTokens.jwt()
    _ = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    #expect(await add("--name", "robot") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("export", "robot") == 1)
    #expect(record.err.first == "acct: robot starts from a token of this machine: it can't be used by others")
  }

  @Test("Options that contradict each other are told, and no token is asked for")
  func usage() async {
    for options in [
      [], ["--subject-token-file", "/a", "--subject-account", "b"], ["--assertion-file", "/a"],
      ["--subject-token-file", "-"], ["--subject-token-file", "/a", "--subject-type", "no type"],
      ["--subject-token-command", "'open"], ["--subject-token-command", " "],
      ["--subject-token-file", "/a", "--client-auth", "assertion-file"],
      ["--subject-token-file", "/a", "--client-assertion-file", "/b", "--client-secret-file", "/c"],
    ] {
      record.clear()
      #expect(await record.run(begin + options) == 64, "\(options): \(record.err)")
    }
    for options in [
      ["--audience", "a"], ["--subject-token-file", "/a"], ["--grant", "client-credentials", "--assertion-file", "/a"],
    ] {
      record.clear()
      #expect(
        await record.run(["add", "--issuer", RecordedServer.issuer] + options) == 64,
        "\(options): \(record.err)"
      )
    }
    record.clear()
    #expect(
      await record.run([
        "add", "--resource", "https://api.example/", "--grant", "token-exchange", "--subject-token-file", "/a",
      ]) == 64
    )
  }
}
