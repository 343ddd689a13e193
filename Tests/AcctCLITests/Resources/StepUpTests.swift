import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Answers that ask for more than the account has (RFC 6750, section 3.1; RFC 9470).
@Suite("A request that needs a new sign-in")
struct StepUpTests {
  private let record = RecordedWorld()
  private static let url = "https://as.example/things"

  /// An account with a scope and a refresh token, at a server that answers a request so.
  private func serve(_ status: Int, _ challenge: String, _ options: String...) async -> RecordedServer {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    server.set("/things", .json(#"{"error":"body"}"#, status, ("WWW-Authenticate", challenge)))
    record.clear()
    #expect(
      await record.run(
        ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device", "--scope", "read"] + options
      ) == 0,
      "\(record.err)"
    )
    return server
  }

  private var hint: String? { record.err.last }

  @Test(
    "A scope that is missing ends in exit 4 with the line that signs in for it, and no renewal",
    arguments: [401, 403],
    ["Bearer", "DPoP"]
  )
  func scope(status: Int, scheme: String) async {
    let challenge =
      #"\#(scheme) realm="x", error="insufficient_scope", error_description="more, please", scope="read write it's""#
    let server = await serve(status, challenge)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(
      record.err == [
        "acct: https://as.example asks for a scope that alice@as.example does not have: write it's " + "(more, please)",
        "acct: hint: to sign in for it, run `acct login alice@as.example "
          + #"--scope 'read write it'\''s'`"#,
      ]
    )
    // The body is the server's, as ever.
    #expect(record.out == #"{"error":"body"}"#)
    #expect(server.bodies("/token").count == 1)
    #expect(await record.acct("request", "--json", Self.url) == 4)
    #expect(record.err.last?.contains(#""code":"insufficientScope""#) == true, "\(record.err)")
  }

  @Test("An authentication that is missing ends in exit 4 with its classes and age, and no renewal")
  func authentication() async {
    let challenge = #"Bearer error="insufficient_user_authentication", acr_values="urn:mfa phr", max_age="5""#
    let server = await serve(401, challenge, "--resource", "https://as.example/things")
    #expect(await record.acct("request", Self.url) == 4)
    #expect(
      record.err == [
        "acct: https://as.example asks the user of alice@as.example to authenticate again",
        "acct: hint: to sign in for it, run `acct login alice@as.example --scope read "
          + "--param 'acr_values=urn:mfa phr' --param max_age=5`",
      ]
    )
    #expect(server.bodies("/token").count == 1)
  }

  @Test("A scope that the server does not name is left to the user")
  func unnamed() async {
    _ = await serve(403, #"Bearer error="insufficient_scope""#)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(hint?.contains("the server does not say which") == true, "\(record.err)")
    #expect(hint?.contains("`acct login alice@as.example` signs in again") == true, "\(record.err)")
  }

  @Test("Words that a scope can't have are not in the line, nor is a secret")
  func hostile() async {
    let challenge =
      #"Bearer error="insufficient_scope", scope="$(id) `id` \u{1B}[2J a\\b "# + "at-a-long-enough"
      + #" wr;ite", max_age="-1", acr_values="é x", error_description="see at-a-long-enough""#
    _ = await serve(403, challenge)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(hint?.contains("at-a-long") == false)
    #expect(record.err.first?.contains("see <redacted>") == true, "\(record.err)")
    #expect(hint?.contains("--scope 'read $(id) `id` ") == true, "\(record.err)")
    #expect(hint?.contains("wr;ite' --param acr_values=x`") == true, "\(record.err)")
    #expect(hint?.contains("max_age") == false)
    #expect(hint?.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true, "\(record.err)")
  }

  @Test("A scope that --scope left out is named as such, and no sign-in is asked for")
  func leftOut() async {
    let server = await serve(403, #"Bearer error="insufficient_scope", scope="it's read""#)
    server.set("/token", RecordedServer.tokens("b", ["scope": "read it's more"]))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("request", "--scope", "read", Self.url) == 4)
    #expect(
      record.err == [
        "acct: https://as.example asks for a scope that --scope leaves out: it's",
        #"acct: hint: run it without --scope, or with --scope 'read it'\''s'"#,
      ]
    )
    server.set("/things", .json("{}", 403, ("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="all""#)))
    #expect(await record.acct("request", "--scope", "read", Self.url) == 4)
    #expect(record.err.first?.hasSuffix("does not have: all") == true, "\(record.err)")
  }

  @Test("A 403 or a 401 without these words is what it was")
  func others() async {
    let server = await serve(403, #"Bearer error="invalid_token""#)
    #expect(await record.acct("request", Self.url) == 1)
    server.set("/things", .json("{}", 401, ("WWW-Authenticate", #"Bearer error="invalid_token""#)))
    #expect(await record.acct("request", Self.url) == 4)
    #expect(server.bodies("/token").count == 2)
    server.set("/things", .json("{}", 400, ("WWW-Authenticate", #"Bearer error="insufficient_scope""#)))
    #expect(await record.acct("request", Self.url) == 1)
  }

  @Test("An account that a resource led to is signed in to again by its name")
  func byResource() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set(
      "/.well-known/oauth-protected-resource/mcp",
      .json(
        #"{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}"#
      )
    )
    let add = ["add", "--resource", "https://mcp.example/mcp", "--client-id", "my client"]
    #expect(await record.run(add + ["--device"]) == 0, "\(record.err)")
    server.set("/mcp", .json("{}", 403, ("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="call""#)))
    #expect(await record.acct("request", "https://mcp.example/mcp") == 4)
    #expect(
      hint?.hasSuffix(" --scope call`") == true && hint?.contains("`acct login ") == true,
      "\(record.err)"
    )
  }

  @Test("The scope of an AT Protocol account is asked for with the one that it has")
  func handle() async {
    let client = "http://localhost?redirect_uri=x&scope=atproto"
    let handoff = Handoffs.dpop(changing: [
      "clientId": .string(client), "issuer": "https://auth.example", "scope": "atproto",
    ])
    #expect(await record.add(handoff) == 0)
    record.serve { _ throws(HTTPFailure) in
      .json("{}", 403, ("WWW-Authenticate", #"DPoP error="insufficient_scope", scope="chat""#))
    }
    #expect(await record.acct("request", "https://pds.example/xrpc/a") == 4)
    #expect(
      hint?.hasSuffix("`acct login alice.example.com --scope 'atproto chat'`") == true,
      "\(record.err)"
    )
  }
}
