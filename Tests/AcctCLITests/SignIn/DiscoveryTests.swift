import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// What follows where a document of a server's metadata can't be read.
@Suite("The discovery of a server")
struct DiscoveryTests {
  private let record = RecordedWorld()
  private static let badGateway = HTTPResponse(
    status: 502,
    fields: [("Content-Type", "text/html")],
    body: Secret("<h1>Bad Gateway</h1>")
  )
  private static let page = HTTPResponse(
    status: 200,
    fields: [("Content-Type", "text/html")],
    body: Secret("<!doctype html>")
  )
  private static let failed = "acct: https://as.example failed with 502"

  private func serve(_ first: HTTPResponse, _ second: HTTPResponse) -> RecordedServer {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    server.set(RecordedServer.place, first)
    server.set(RecordedServer.openIDPlace, second)
    return server
  }

  /// The paths of requests since the last look, but for those of the sign-in itself.
  private var asked: [String] {
    record.requests.map(\.url.path).filter { $0 != "/start" }
  }

  @Test(
    "A document that fails leads to the next one, at a sign-in and at a renewal",
    arguments: [
      badGateway, page, .json("[]"), .json("{", 200), .json("{}", 503), .json("{}", 429), .json("{}", 404),
      .json("{}", 403), .json("{}", 301, ("Location", "https://elsewhere.example/metadata")),
    ]
  )
  func next(first: HTTPResponse) async {
    let server = serve(first, RecordedServer.metadata())
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(asked == [RecordedServer.place, RecordedServer.openIDPlace, "/token"])
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").count == 2)
    #expect(!record.requests.contains { $0.url.origin.host == "elsewhere.example" })
  }

  @Test(
    "A document that takes too long, is too large, or whose connection ends, leads to the next one",
    arguments: [0, 1, 2]
  )
  func lost(kind: Int) async {
    let server = serve(Self.page, RecordedServer.metadata())
    let failure = [HTTPFailure.timedOut, .closed, .tooLarge(limit: 1 << 20)][kind]
    record.serve { request throws(HTTPFailure) in
      guard request.url.path != RecordedServer.place else { throw failure }
      return server.answer(request.url.path)
    }
    #expect(await record.addDevice() == 0, "\(record.err)")
  }

  @Test(
    "Where all documents fail, the first failure is told, before what is not there",
    arguments: [
      (badGateway, HTTPResponse.json("{}", 404), failed), (.json("{}", 404), badGateway, failed),
      (page, badGateway, failed), (badGateway, .json("{}", 503), failed),
      (page, .json("{}", 404), "acct: https://as.example has metadata that can't be used: it is not JSON"),
      (.json("{}", 404), .json("{}", 403), "acct: https://as.example has no OAuth metadata (it answered 403)"),
    ]
  )
  func cause(first: HTTPResponse, second: HTTPResponse, words: String) async {
    _ = serve(first, second)
    #expect(await record.addDevice() == 11)
    #expect(record.err.first == words, "\(record.err)")
  }

  @Test("A document that is nested too deeply is not read")
  func deep() async {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let document = #"{"issuer":"https://as.example","token_endpoint":"https://as.example/token","x":\#(deep)}"#
    _ = serve(.json(document), .json(document))
    #expect(await record.addDevice() == 11)
    #expect(record.err.first?.contains("it is not JSON") == true, "\(record.err)")
  }

  @Test("A server that can't be reached, or is not trusted, is asked once", arguments: [0, 1, 2])
  func unreachable(kind: Int) async {
    let failure = [HTTPFailure.unresolved(host: "as.example"), .unreachable(reason: "r"), .untrusted(reason: "r")][kind]
    record.serve { _ throws(HTTPFailure) in throw failure }
    #expect(await record.addDevice() == 10)
    #expect(record.requests.count == 1)
  }

  @Test("A renewal goes on with the token endpoint that it knows where no metadata can be read, and -v tells so")
  func renewal() async {
    let server = serve(RecordedServer.metadata(), .json("{}", 404))
    #expect(await record.addDevice() == 0, "\(record.err)")
    for broken in [Self.badGateway, Self.page, .json("{}", 429)] {
      server.set(RecordedServer.place, broken)
      server.set(RecordedServer.openIDPlace, Self.badGateway)
      #expect(await record.acct("refresh", "--force", "-v") == 0, "\(record.err)")
      #expect(
        record.err.contains { $0.contains("without metadata, at the known token endpoint of https://as.example: ") },
        "\(record.err)"
      )
    }
    #expect(server.bodies("/token").count == 4)
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-b-long-enough\n")
  }

  @Test("A token endpoint that the metadata moves is the one that a renewal knows from then on")
  func moved() async {
    let server = serve(RecordedServer.metadata(), .json("{}", 404))
    #expect(await record.addDevice() == 0, "\(record.err)")
    server.set(RecordedServer.place, RecordedServer.metadata(["token_endpoint": "https://as.example/token/2"]))
    server.set("/token/2", RecordedServer.tokens("c"), RecordedServer.tokens("d"))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    server.set(RecordedServer.place, Self.badGateway)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token/2").count == 2)
  }

  @Test("An account that knows no token endpoint is not renewed without metadata")
  func unknown() async throws {
    let server = serve(RecordedServer.metadata(), .json("{}", 404))
    #expect(await record.addDevice() == 0, "\(record.err)")
    try changeSettings { $0["tokenEndpoint"] = nil }
    server.set(RecordedServer.place, Self.badGateway)
    #expect(await record.acct("refresh", "--force") == 11)
    // Nothing was sent, so nothing can have happened to the refresh token.
    #expect(record.err == [Self.failed, "acct: hint: nothing was wrong with the account; try again later"])
    #expect(server.bodies("/token").count == 1)
  }

  @Test("Metadata of another issuer ends a renewal, whatever endpoint is known")
  func otherIssuer() async {
    let server = serve(RecordedServer.metadata(), .json("{}", 404))
    #expect(await record.addDevice() == 0, "\(record.err)")
    server.set(RecordedServer.place, RecordedServer.metadata(["issuer": "https://other.example"]))
    #expect(await record.acct("refresh", "--force", "--json") == 11)
    #expect(record.err.last?.contains(#""code":"metadataIssuer""#) == true, "\(record.err)")
    #expect(server.bodies("/token").count == 1)
  }

  @Test(
    "A known token endpoint is sent nothing where its server can't be reached or is not trusted",
    arguments: [0, 1]
  )
  func unsent(kind: Int) async {
    let server = serve(RecordedServer.metadata(), .json("{}", 404))
    #expect(await record.addDevice() == 0, "\(record.err)")
    let failure = [HTTPFailure.unreachable(reason: "r"), .untrusted(reason: "r")][kind]
    record.serve { request throws(HTTPFailure) in
      guard !request.url.path.hasPrefix("/.well-known") else { throw failure }
      return server.answer(request.url.path)
    }
    #expect(await record.acct("refresh", "--force") == 10, "\(record.err)")
    #expect(server.bodies("/token").count == 1)
  }

  @Test("A known token endpoint in a private network is sent nothing where the user did not name the server")
  func inside() async throws {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    let document: JSON = [
      "resource": "https://mcp.example/mcp", "authorization_servers": [.string(RecordedServer.issuer)],
    ]
    server.set(
      "/.well-known/oauth-protected-resource/mcp",
      .json(String(decoding: document.serialized(), as: UTF8.self))
    )
    let add = ["add", "--resource", "https://mcp.example/mcp", "--client-id", "client", "--device"]
    #expect(await record.run(add) == 0, "\(record.err)")
    try changeSettings { $0["tokenEndpoint"] = "https://192.168.0.1/token" }
    server.set(RecordedServer.place, Self.badGateway)
    #expect(await record.acct("refresh", "--force") != 0)
    #expect(!record.requests.contains { $0.url.origin.host == "192.168.0.1" })
  }

  @Test(
    "A redirect of a well-known address within its origin is followed",
    arguments: [
      (301, "/metadata"), (302, "https://as.example/metadata"), (303, "//as.example/metadata"), (307, "../metadata"),
      (308, "https://as.example:443/metadata#part"),
    ]
  )
  func redirected(status: Int, location: String) async {
    let server = serve(.json("", status, ("Location", location)), .json("{}", 404))
    server.set("/metadata", RecordedServer.metadata())
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(asked == [RecordedServer.place, "/metadata", "/token"])
  }

  @Test(
    "A redirect of a well-known address elsewhere is refused",
    arguments: [
      "https://elsewhere.example/metadata", "https://as.example:8443/metadata", "http://127.0.0.1/metadata",
      "https://as.example@elsewhere.example/", "https://192.168.0.1/metadata", "file:///etc/passwd", "",
    ]
  )
  func elsewhere(location: String) async {
    let server = serve(.json("", 301, ("Location", location)), .json("{}", 404))
    server.set("/metadata", RecordedServer.metadata())
    #expect(await record.addDevice() == 11)
    #expect(record.requests.allSatisfy { $0.url.origin.description == RecordedServer.issuer })
  }

  @Test("A redirect in a circle ends")
  func circle() async {
    _ = serve(.json("", 301, ("Location", RecordedServer.place)), .json("{}", 404))
    #expect(await record.addDevice() == 11)
    #expect(record.requests.count == 5)
  }

  @Test("A resource's description that fails leads to the next place")
  func resource() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    let document: JSON = ["resource": "https://mcp.example", "authorization_servers": [.string(RecordedServer.issuer)]]
    let place = "/.well-known/oauth-protected-resource"
    server.set("\(place)/mcp", Self.badGateway)
    server.set(place, .json(String(decoding: document.serialized(), as: UTF8.self)))
    #expect(
      await record.run(["add", "--resource", "https://mcp.example/mcp", "--client-id", "client", "--device"]) == 0,
      "\(record.err)"
    )
  }

  /// Changes the stored settings of the account's sign-in.
  private func changeSettings(_ change: (inout JSONObject) -> Void) throws {
    var file = try #require(record.accountFile)
    var settings = try #require(file["signIn"]?.objectValue)
    change(&settings)
    file["signIn"] = .object(settings)
    let id = try AccountID(try #require(file["id"]?.stringValue))
    record.corrupt(.account(id), with: String(decoding: JSON.object(file).serialized(), as: UTF8.self))
  }
}
