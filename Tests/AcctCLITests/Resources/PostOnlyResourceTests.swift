import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// A resource that has no GET, as those of the Model Context Protocol may have none.
@Suite("A resource that answers POST only")
struct PostOnlyResourceTests {
  private let record = RecordedWorld()
  private static let resource = "https://mcp.example/mcp"

  /// A server, and a resource that answers a GET with this status and a POST without a token with its challenge.
  private func serve(_ status: Int, description: String = "/.well-known/oauth-protected-resource/mcp") -> RecordedServer
  {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    let document: JSON = [
      "resource": .string(Self.resource), "authorization_servers": [.string(RecordedServer.issuer)],
      "scopes_supported": ["mcp:use"],
    ]
    server.set(description, .json(String(decoding: document.serialized(), as: UTF8.self)))
    record.serve { request throws(HTTPFailure) in
      guard request.url.description == Self.resource else { return server.answer(request.url.path) }
      guard request.method == "POST" else {
        return HTTPResponse(status: status, fields: [("Allow", "POST")], body: Secret(""))
      }
      if request.fields.contains(where: { $0.name == "Authorization" }) { return .json(#"{"result":{}}"#) }
      let challenge = #"Bearer resource_metadata="https://mcp.example\#(description)", scope="mcp:use""#
      return .json(#"{"error":"unauthorized"}"#, 401, ("WWW-Authenticate", challenge))
    }
    return server
  }

  private func add() async -> Int32 {
    await record.run(["add", "--resource", Self.resource, "--client-id", "client", "--device"])
  }

  /// The methods and bodies of requests to the resource.
  private var asked: [String] {
    record.requests.filter { $0.url.description == Self.resource }
      .map { "\($0.method) \(RowServer.text($0.body))" }
  }

  @Test("A POST of an empty body finds the challenge, whose scope is asked for, and the first POST works")
  func challenged() async {
    let server = serve(405)
    #expect(await add() == 0, "\(record.err)")
    #expect(asked == ["GET ", "POST "])
    #expect(
      server.bodies("/start") == ["client_id=client&scope=mcp%3Ause&resource=https%3A%2F%2Fmcp.example%2Fmcp"]
    )
    #expect(!record.err.contains { $0.contains("no scope is requested") }, "\(record.err)")
    #expect(record.requests.allSatisfy { !$0.fields.contains { $0.name == "Authorization" } })
    #expect(await record.acct("request", "POST", Self.resource, "-d", "{}") == 0, "\(record.err)")
    #expect(record.out == #"{"result":{}}"#)
  }

  @Test("The description that only the challenge of a POST names is found")
  func elsewhere() async {
    _ = serve(405, description: "/about")
    #expect(await add() == 0, "\(record.err)")
  }

  @Test("A resource that answers GET in another way gets no POST", arguments: [200, 401, 404, 500])
  func otherAnswers(status: Int) async {
    _ = serve(status)
    #expect(await add() == 0, "\(record.err)")
    #expect(asked == ["GET "])
  }
}
