import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import Synchronization
import Testing

/// How a handle leads to its DID: the record in DNS, else the handle's own server.
@Suite("The handle of a sign-in")
struct HandleTests {
  private let record = RecordedWorld()
  private static let did = "did:plc:alicealicealicealicealic"
  /// What a resolver answers, behind the question's id.
  private static let none: [UInt8] = [0x81, 0x83, 0, 0, 0, 0, 0, 0, 0, 0]
  private static let servfail: [UInt8] = [0x81, 0x82, 0, 0, 0, 0, 0, 0, 0, 0]
  private static let refused: [UInt8] = [0x81, 0x85, 0, 0, 0, 0, 0, 0, 0, 0]

  /// Signs in with an identifier, as far as its DID; `nil` for a resolver that does not answer.
  ///
  /// - Parameters:
  ///   - identifier: As it is typed.
  ///   - answer: The resolver's.
  ///   - pages: What each address answers; the directory knows no DID.
  /// - Returns: The exit status.
  private func add(
    _ identifier: String,
    _ answer: [UInt8]? = none,
    _ pages: [String: HTTPResponse] = [:]
  ) async -> Int32 {
    record.clear()
    record.serve { request in pages[request.url.description] ?? .json("{}", 404) }
    var world = record.world()
    let names = names
    world.dns = DNS { name, _ throws(DNSFailure) in
      names.withLock { $0.append(name) }
      guard let answer else { throw .noAnswer }
      return [0, 7] + answer
    }
    return await Acct.run(["add", identifier], in: world, parsedBy: ParsedLines.parse)
  }

  /// The names that the resolver was asked for.
  private final class Names: Sendable {
    private let names = Mutex<[String]>([])
    func withLock<Value>(_ body: (inout [String]) -> Value) -> Value { names.withLock { body(&$0) } }
  }
  private let names = Names()

  private static let place = "https://alice.example.com/.well-known/atproto-did"
  private static func text(_ body: String) -> HTTPResponse {
    HTTPResponse(status: 200, fields: [("Content-Type", "text/plain")], body: Secret(body))
  }
  private static func moved(_ location: String, _ status: Int = 301) -> HTTPResponse {
    HTTPResponse(status: status, fields: [("Location", location)], body: Secret(""))
  }

  /// `true` if the handle has led to the DID, whose document was asked for.
  private var isResolved: Bool { record.requests.last?.url.description == "https://plc.directory/\(Self.did)" }

  @Test(
    "A pasted handle loses invisible characters",
    arguments: [
      "\u{202A}alice.example.com\u{202C}", "alice.example.com ", "\u{200B}alice.example.com",
      "\u{FEFF}@alice.example.com",
      "\t\u{A0}at://alice.example.com/\n", "alice\u{200B}.exa\u{AD}mple.\u{2060}com",
      "\u{2066}@Alice.Example.com\u{2069}\u{3000}",
    ]
  )
  func marks(identifier: String) async {
    #expect(await add(identifier, Self.none, [Self.place: Self.text(Self.did)]) != 64, "\(record.err)")
    #expect(names.withLock { $0 } == ["_atproto.alice.example.com"])
    #expect(isResolved)
  }

  @Test(
    "An invalid handle is shown with its non-ASCII characters and blanks escaped",
    arguments: [
      ("\u{202A}alice.ex\u{430}mple.com\u{202C}", #"alice.ex\u{430}mple.com"#),
      ("alice example.com ", #"alice\u{20}example.com"#), ("\u{200B}alice_x.example.com", "alice_x.example.com"),
    ]
  )
  func noHandle(identifier: String, shown: String) async {
    #expect(await add(identifier) == 64)
    #expect(record.err.first == "acct: not a handle: \(shown)", "\(record.err)")
    #expect(names.withLock { $0.isEmpty })
  }

  @Test(
    "A resolver that fails, refuses or does not answer leads to the handle's own server",
    arguments: [servfail, refused, nil]
  )
  func resolver(answer: [UInt8]?) async {
    _ = await add("alice.example.com", answer, [Self.place: Self.text(" \(Self.did)\n")])
    #expect(isResolved, "\(record.err)")
  }

  @Test(
    "Where the handle's own server does not tell either, the resolver's failure is told",
    arguments: [servfail, refused, nil]
  )
  func neither(answer: [UInt8]?) async {
    for page in [HTTPResponse.json("{}", 404), Self.text("<html>"), .json("{}", 503)] {
      #expect(await add("alice.example.com", answer, [Self.place: page]) == 10)
      #expect(record.err.first == "acct: no resolver answered for _atproto.alice.example.com", "\(record.err)")
    }
  }

  @Test(
    "The document of a handle's server may be moved, within its host and to another with https",
    arguments: [
      ("/blog/.well-known/atproto-did", "https://alice.example.com/blog/.well-known/atproto-did"),
      ("https://blog.example.net/did", "https://blog.example.net/did"),
      ("//blog.example.net/did", "https://blog.example.net/did"),
    ]
  )
  func moved(location: String, target: String) async {
    for status in [301, 302, 303, 307, 308] {
      let pages = [Self.place: Self.moved(location, status), target: Self.text(Self.did)]
      _ = await add("alice.example.com", Self.none, pages)
      #expect(isResolved, "\(status): \(record.err)")
    }
    // Only the user may name a private address, by whatever name it has.
    let isElsewhere = target.hasPrefix("https://blog")
    #expect(record.requests.last { $0.url.description == target }?.reach == (isElsewhere ? .publicOnly : .anywhere))
  }

  @Test(
    "The document of a handle's server is not fetched from a private address or without TLS",
    arguments: [
      "http://blog.example.net/did", "http://127.0.0.1/did", "https://127.0.0.1/did", "https://10.0.0.1/did",
      "https://[::1]/did", "https://localhost/did", "file:///etc/passwd",
    ]
  )
  func refusedTarget(location: String) async {
    #expect(await add("alice.example.com", Self.none, [Self.place: Self.moved(location)]) != 0)
    #expect(record.requests.map(\.url.description) == [Self.place], "\(record.err)")
  }

  @Test("A document that is moved again and again is not followed for ever")
  func circle() async {
    #expect(await add("alice.example.com", Self.none, [Self.place: Self.moved(Self.place)]) == 1)
    #expect(record.requests.count == 4)
  }
}
