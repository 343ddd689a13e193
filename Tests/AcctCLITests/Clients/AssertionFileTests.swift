import AcctCLI
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("An assertion that a platform writes to a file")
struct AssertionFileTests {
  private let record = RecordedWorld()
  private let type = "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"

  @Test("It authenticates a client of each grant, read anew each time")
  func client() async throws {
    let path = PlatformTokens.path
    let exchange = ["--grant", "token-exchange", "--subject-token-file", path]
    for (grant, renewal) in [
      (["--grant", "client-credentials"], "client_credentials"), (["--device"], "refresh_token"),
      (exchange, "token-exchange"), (["--grant", "jwt-bearer", "--assertion-file", path], "jwt-bearer"),
    ] {
      record.secretFiles[path] = PlatformTokens.jwt(1)
      let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
      record.clear()
      let line = ["add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--client-assertion-file", path]
      #expect(await record.run(line + grant) == 0, "\(grant): \(record.err)")
      record.secretFiles[path] = PlatformTokens.jwt(2)
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      let bodies = server.bodies("/token").suffix(2)
      #expect(bodies.last?.contains(renewal) == true)
      #expect(
        bodies.first?.hasSuffix("&client_id=robot\(type)&client_assertion=\(PlatformTokens.jwt(1))") == true
          || bodies.first?.contains("\(type)&client_assertion=\(PlatformTokens.jwt(1))") == true,
        "\(bodies)"
      )
      #expect(bodies.last?.contains("\(type)&client_assertion=\(PlatformTokens.jwt(2))") == true, "\(bodies)")
      #expect(record.accountFile?["client"]?.objectValue?["authentication"] == "assertion-file")
      #expect(await record.acct("remove", "robot@as.example") == 0 || record.accountFiles > 0)
      for name in ["alice@as.example", "robot@as.example", "system:serviceaccount:web:api@as.example"] {
        _ = await record.acct("remove", "--local", name)
      }
    }
  }

  @Test("It is the grant itself, without a key or a client's identifier")
  func grant() async throws {
    let path = PlatformTokens.path
    record.secretFiles[path] = PlatformTokens.jwt(1)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a", ["sub": .null]))
    #expect(
      await record.run(["add", "--issuer", RecordedServer.issuer, "--grant", "jwt-bearer", "--assertion-file", path])
        == 0,
      "\(record.err)"
    )
    #expect(record.err.contains("acct: added system:serviceaccount:web:api@as.example"), "\(record.err)")
    record.secretFiles[path] = PlatformTokens.jwt(2)
    #expect(await record.acct("login") == 0, "\(record.err)")
    #expect(
      server.bodies("/token")
        == ([1, 2] as [Int64]).map {
          "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(PlatformTokens.jwt($0))"
        }
    )
    #expect(record.accountFiles == 1)
    #expect(record.keyring.items.values.first?[.clientKey] == nil)
  }

  @Test("One that has ended, is none or is missing is named before anything is sent")
  func bad() async {
    let path = PlatformTokens.path
    record.secretFiles[path] = PlatformTokens.jwt(1)
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    let line = ["add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--client-assertion-file", path]
    #expect(await record.run(line + ["--device"]) == 0, "\(record.err)")
    let sent = record.requests.count
    for (contents, status) in [(nil, 65), ("opaque", 65), (PlatformTokens.jwt(1, ["exp": 1]), 4)] as [(String?, Int32)]
    {
      record.secretFiles[path] = contents
      record.clear()
      #expect(await record.acct("refresh", "--force") == status, "\(record.err)")
      #expect(record.err.first?.contains(path) == true, "\(record.err)")
      #expect(record.requests.count == sent)
    }
    // A removal does not need it.
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(record.keyring.count == 0)
  }
}
