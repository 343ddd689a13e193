import AcctCLI
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A confidential client")
struct ConfidentialClientTests {
  private let record = RecordedWorld()
  private let secret = "s3cret +/:%ü"
  /// `name:secret` with both parts form-encoded (RFC 6749, section 2.3.1), in base64.
  private let basic = "Basic bXklMjBjbGllbnQ6czNjcmV0JTIwJTJCJTJGJTNBJTI1JUMzJUJD"

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "my client", "--device"] + options
    )
  }

  @Test("A client secret is sent by Basic with both parts form-encoded, at sign-in and renewal")
  func basicEverywhere() async {
    record.secretFiles["secret"] = secret + "\n"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/start") == [basic])
    #expect(server.fields("Authorization", "/token") == [basic, basic])
    #expect(!server.bodies("/token").contains { $0.contains("client_id") })
    #expect(!record.requests.contains { $0.bodyText.contains("client_secret") })
    // The device endpoint needs to know the client's name, too.
    #expect(server.bodies("/start").first?.hasPrefix("client_id=my%20client") == true)
  }

  @Test("A removed account's session is revoked with its client's secret")
  func revoked() async {
    record.secretFiles["secret"] = secret
    let server = RecordedServer(
      record,
      metadata: ["revocation_endpoint": "https://as.example/revoke"],
      tokens: RecordedServer.tokens("a")
    )
    server.set("/revoke", .json("{}"))
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/revoke") == [basic])
    #expect(server.bodies("/revoke").first?.contains("client_id") == false)
    #expect(record.keyring.count == 0)
  }

  @Test("A revocation whose answer is an error with status 200 has ended no session")
  func notRevoked() async {
    record.secretFiles["secret"] = secret
    let server = RecordedServer(
      record,
      metadata: ["revocation_endpoint": "https://as.example/revoke"],
      tokens: RecordedServer.tokens("a")
    )
    server.set("/revoke", .json(#"{"error":"unsupported_token_type"}"#))
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(
      record.err.contains { $0.contains("did not end the session") && $0.contains("unsupported_token_type") },
      "\(record.err)"
    )
  }

  @Test(
    "A client secret goes where the metadata says, and stays there",
    arguments: [
      (["client_secret_post"], "post"), (["client_secret_basic", "client_secret_post"], "basic"),
      (["private_key_jwt"], "basic"), ([], "basic"),
    ] as [([String], String)]
  )
  func byMetadata(methods: [String], method: String) async {
    record.secretFiles["secret"] = "s3cret"
    let server = RecordedServer(
      record,
      metadata: [
        "token_endpoint_auth_methods_supported": methods.isEmpty
          ? .null : .array(methods.map { .string($0) })
      ],
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b")
    )
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    #expect(record.accountFile?["client"] == ["authentication": .string(method)])
    server.set(RecordedServer.place, RecordedServer.metadata())
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    for body in server.bodies("/token") {
      #expect(body.hasSuffix("&client_id=my%20client&client_secret=s3cret") == (method == "post"))
    }
    for field in server.fields("Authorization", "/token") {
      #expect(field.hasPrefix("Basic ") == (method == "basic"))
    }
    let kept = record.keyring.items.values.first?[.clientSecret]
    #expect(kept == Secret("s3cret"))
    #expect(!record.filesText.contains("s3cret"))
  }

  @Test("The user's method counts before the metadata's")
  func chosen() async {
    record.secretFiles["secret"] = "s3cret"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await add("--client-secret-file", "secret", "--client-auth", "post") == 0)
    #expect(server.bodies("/token").last?.hasSuffix("&client_secret=s3cret") == true)
    #expect(server.fields("Authorization", "/token") == [""])
  }

  @Test("Without a secret none is sent, and the account's file is as it always was")
  func publicClient() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0)
    #expect(server.fields("Authorization", "/token") == [""])
    #expect(record.accountFile?["client"] == nil)
  }

  @Test("A second sign-in of the same client uses the secret that is known, unless it is told not to")
  func known() async {
    record.secretFiles["secret"] = "s3cret"
    let server = RecordedServer(
      record,
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b"),
      RecordedServer.tokens("c", ["sub": "bob"])
    )
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    for _ in 0..<2 { #expect(await add() == 0, "\(record.err)") }
    #expect(record.accountFiles == 2)
    #expect(server.fields("Authorization", "/token").allSatisfy { $0.hasPrefix("Basic ") })
    #expect(record.keyring.items.values.allSatisfy { $0[.clientSecret] == Secret("s3cret") })
    #expect(await add("--client-auth", "none") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/token").last == "")
    // The same identifier elsewhere is another client.
    #expect(
      await record.run([
        "add", "--token-url", "https://as.example/token", "--device-url",
        "https://as.example/start", "--client-id", "my client", "--device",
      ]) == 0,
      "\(record.err)"
    )
    #expect(server.fields("Authorization", "/token").last == "")
  }

  @Test(
    "A file that has no client secret is rejected before anything is requested",
    arguments: ["", "\n", "two\nlines", "a\u{7}b"]
  )
  func badSecret(contents: String) async {
    record.secretFiles["secret"] = contents
    #expect(await add("--client-secret-file", "secret") == 65)
    #expect(record.requests.isEmpty)
    #expect(await add("--client-secret-file", "missing") == 65)
  }

  @Test("A client secret can come from standard input")
  func standardInput() async {
    record.provide("-", "s3cret\r\n")
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await add("--client-secret-file", "-", "--client-auth", "post") == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.hasSuffix("&client_secret=s3cret") == true)
  }

  @Test("A method without what it needs is an error of usage that names the option")
  func needed() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    for (method, option) in [
      ("basic", "--client-secret-file"), ("post", "--client-secret-file"), ("private-key", "--client-key"),
    ] {
      #expect(await add("--client-auth", method) == 64)
      #expect(record.err.first?.contains(option) == true, "\(record.err)")
    }
  }

  @Test("A server that misses the secret is heard, with the option that gives it")
  func refused() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set("/start", .json(#"{"error":"invalid_client","error_description":"Missing secret"}"#, 401))
    #expect(await add() == 4)
    #expect(record.err.first?.contains("invalid_client: Missing secret") == true)
    #expect(record.err.last?.contains("--client-secret-file") == true)
  }

  @Test("An account whose client's secret is lost says so, and keeps its session")
  func lost() async throws {
    record.secretFiles["secret"] = "s3cret"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await add("--client-secret-file", "secret") == 0)
    try await record.keyring.lose([.clientSecret])
    record.clear()
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(record.err.last?.contains("--client-secret-file") == true, "\(record.err)")
    #expect(server.bodies("/token").count == 1)
    #expect(record.accountFile?["renewalStartedAt"] == .null)
    #expect(await record.acct("doctor") != 0)
  }

  @Test("A secret moves with its account, and an export without one still imports")
  func export() async {
    record.secretFiles["secret"] = "s3cret"
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(
      await add("--client-secret-file", "secret", "--token-param", "audience=api", "--no-dpop") == 0
    )
    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    #expect(await record.acct("export", "--all", "-o", "out") == 0, "\(record.err)")
    #expect(record.secretFiles["out"]?.contains("s3cret") == false)
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.run(["add", "--import", "in"]) == 0, "\(other.err)")
    #expect(other.accountFile?["client"] == record.accountFile?["client"])
    let server = RecordedServer(other, tokens: RecordedServer.tokens("b"))
    #expect(await other.acct("refresh", "--force") == 0, "\(other.err)")
    #expect(server.fields("Authorization", "/token").allSatisfy { $0.hasPrefix("Basic ") })
    #expect(server.bodies("/token").last?.hasSuffix("&audience=api") == true)
  }
}

extension HTTPRequest {
  /// The body as text.
  var bodyText: String {
    body?.withBytes { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    } ?? ""
  }
}
