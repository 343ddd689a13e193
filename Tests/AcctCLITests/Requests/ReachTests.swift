import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A remote server's document that points to a private address")
struct ReachTests {
  let record = RecordedWorld()

  /// Answers by address; anything else would be a request that must not be sent.
  private func serve(_ documents: [String: String]) {
    record.serve { request throws(HTTPFailure) in
      guard let body = documents[request.url.description] else {
        Issue.record("\(request.method) \(request.url) must not be sent")
        throw .closed
      }
      return .json(body)
    }
  }

  private func expectRefusal(_ origin: String, _ location: SourceLocation = #_sourceLocation) {
    let words = "refused: a server names \(origin), which is an address of this machine"
    #expect(
      record.err.contains { $0.hasPrefix("acct: \(words)") },
      "\(record.err)",
      sourceLocation: location
    )
    #expect(record.accountFiles == 0, sourceLocation: location)
    #expect(record.requests.allSatisfy { $0.url.origin.mayBePublic }, sourceLocation: location)
  }

  private static let metadata = "https://issuer.example/.well-known/oauth-authorization-server"

  @Test(
    "An endpoint in a private network is rejected before anything is sent there",
    arguments: [
      "token_endpoint", "authorization_endpoint", "device_authorization_endpoint",
      "pushed_authorization_request_endpoint", "revocation_endpoint",
    ],
    ["http://127.0.0.1:8080", "https://192.168.1.1", "http://[::1]", "https://169.254.169.254"]
  )
  func endpoint(_ member: String, _ origin: String) async {
    var document = [
      "issuer": "https://issuer.example", "token_endpoint": "https://issuer.example/token",
      "device_authorization_endpoint": "https://issuer.example/device",
    ]
    document[member] = "\(origin)/x"
    let members = document.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
    serve([Self.metadata: "{\(members)}"])
    let command = ["--issuer", "https://issuer.example", "--client-id", "c", "--device"]
    #expect(await record.run(["add"] + command) == 8)
    expectRefusal(origin)
  }

  private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

  private func document(_ service: String, of did: String = Self.did) -> String {
    """
    {"id":"\(did)","service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer",\
    "serviceEndpoint":"\(service)"}]}
    """
  }

  @Test("A data server in a private network is rejected before anything is sent there")
  func dataServer() async {
    serve(["https://plc.directory/\(Self.did)": document("http://localhost:3000")])
    #expect(await record.acct("add", Self.did) == 8)
    expectRefusal("http://localhost:3000")
  }

  @Test("An authorization server in a private network is rejected before anything is sent there")
  func authorizationServer() async {
    serve([
      "https://plc.directory/\(Self.did)": document("https://pds.example"),
      "https://pds.example/.well-known/oauth-protected-resource":
        #"{"resource":"https://pds.example","authorization_servers":["https://10.0.0.1"]}"#,
    ])
    #expect(await record.acct("add", Self.did) == 8)
    expectRefusal("https://10.0.0.1")
  }

  @Test("A request for a server's document reaches public addresses only, the user's own any address")
  func reach() async {
    record.serve { request throws(HTTPFailure) in
      .json(#"{"resource":"https://pds.example","authorization_servers":["https://as.example"]}"#)
    }
    // The answers do not matter here, but how far each request may reach is recorded.
    _ = await record.acct("add", "https://pds.example")
    #expect(record.requests.map(\.url.origin.host) == ["pds.example", "as.example"])
    let reaches = record.requests.map(\.reach)
    #expect(reaches.first == .anywhere)
    #expect(reaches.dropFirst().allSatisfy { $0 == .publicOnly })
  }

  @Test("An address from --issuer or ACCT_PLC_URL is used even if it is private")
  func ownWord() async {
    record.serve { request throws(HTTPFailure) in .json("{}", 404) }
    for issuer in ["http://127.0.0.1:8080", "https://192.168.1.1"] {
      let command = ["--issuer", issuer, "--client-id", "c", "--device"]
      #expect(await record.run(["add"] + command) == 11)
    }
    record.set("ACCT_PLC_URL", to: "http://localhost:2582")
    #expect(await record.acct("add", Self.did) == 1)
    #expect(record.requests.allSatisfy { $0.reach == .anywhere })
    #expect(record.requests.last?.url.origin.host == "localhost")
  }
}
