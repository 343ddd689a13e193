import AcctTestSupport
import StrictJSON
import Testing

/// A handle that has no record in DNS, and says over HTTPS whose it is.
@Suite("Handles over HTTPS")
struct ATProtoWebHandleTests {
  private let network: ATProtoNetwork
  private let folder: TemporaryFolder

  init() async throws {
    network = try await ATProtoNetwork()
    try await network.set(["dns": ["alice.test": "none"]])
    folder = try TemporaryFolder()
  }

  /// A server of `alice.test`, which serves for as long as it is held, and a home that finds it.
  private func serving(
    _ body: String,
    certified name: String = "alice.test",
    movedTo address: String = ""
  ) async throws -> (PythonServer, AcctHome) {
    let server = try await PythonServer(
      "StrictServer/handle_server.py",
      [folder.path, "alice.test", body, name, address]
    )
    let home = try network.home(with: [
      "https_proxy": "http://127.0.0.1:\(server.greeting)",
      "SSL_CERT_FILE": "\(folder.path)/cert.pem",
    ])
    return (server, home)
  }

  /// What the handle's server was asked, line by line.
  private var asked: [String] {
    get async throws {
      try await ChildProcess("cat", ["\(folder.path)/asked"]).run().text.split(separator: "\n").map(String.init)
    }
  }

  private static let question = ["CONNECT alice.test:443 HTTP/1.1", "GET /.well-known/atproto-did HTTP/1.1"]

  @Test("A handle's own server names the DID, with or without white space around it")
  func signsIn() async throws {
    let (server, home) = try await serving("\n \(network.did("alice.test"))\r\n")
    let account = try await home.signIn(["alice.test"])
    #expect(account["did"]?.stringValue == network.did("alice.test"))
    #expect(account["handle"]?.stringValue == "alice.test")
    #expect(!server.greeting.isEmpty)
    // Asked before the sign-in, and after it, whether the name still is this identity's.
    #expect(try await asked.prefix(2) == Self.question[...])
    #expect(try await Set(asked) == Set(Self.question))
    #expect(try await network.log().offences == [])
  }

  @Test("A handle's own server is enough where the resolver fails", arguments: ["servfail", "refused"])
  func resolverFails(_ answer: String) async throws {
    try await network.set(["dns": ["alice.test": .string(answer)]])
    let (server, home) = try await serving(network.did("alice.test"))
    let account = try await home.signIn(["\u{202A}alice.test\u{202C} "])
    #expect(account["did"]?.stringValue == network.did("alice.test"))
    #expect(!server.greeting.isEmpty)
    #expect(try await network.log().offences == [])
  }

  @Test("A handle's server may keep the document elsewhere on its host")
  func moved() async throws {
    let place = "https://alice.test/blog/.well-known/atproto-did"
    let (server, home) = try await serving(network.did("alice.test"), movedTo: place)
    let account = try await home.signIn(["alice.test"])
    #expect(account["did"]?.stringValue == network.did("alice.test"))
    #expect(!server.greeting.isEmpty)
    #expect(try await asked.contains("GET /blog/.well-known/atproto-did HTTP/1.1"))
  }

  @Test("A handle's server that names another's DID, or none, is rejected", arguments: ["mallory", "nonsense"])
  func wrong(_ body: String) async throws {
    // Carol's document does not name alice's handle.
    let text = body == "mallory" ? network.did("carol.test") : "<html>"
    let (server, home) = try await serving(text)
    let added = try await home.acct("add", "alice.test")
    #expect(added.status == 11, "\(added.errorText)")
    #expect(added.errorText.contains("alice.test"))
    #expect(!server.greeting.isEmpty)
    #expect(try await asked == Self.question)
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A handle's server with another name's certificate is not asked")
  func untrusted() async throws {
    let (server, home) = try await serving(network.did("alice.test"), certified: "bob.test")
    let added = try await home.acct("add", "alice.test")
    #expect(added.status == 10, "\(added.errorText)")
    #expect(!server.greeting.isEmpty)
    // Reached, and left at its certificate.
    #expect(try await asked.first == Self.question[0])
    #expect(try await !asked.contains(Self.question[1]))
    #expect(try await home.accounts().isEmpty)
  }
}
