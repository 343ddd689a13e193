import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// `acct request --follow`, of an account with two own origins.
@Suite("Following redirects")
struct RequestFollowTests {
  private let record = RecordedWorld()
  private static let start = "https://pds.example/start"

  /// An account with a DPoP key, and servers with these redirects: from a URL with a status to
  /// another.
  private func redirecting(_ routes: [String: (status: Int, location: String)], origins: JSON = .null) async {
    #expect(
      await record.add(Handoffs.dpop(changing: origins == .null ? [:] : ["origins": origins])) == 0
    )
    #expect(await record.acct("allow", "alice.example.com", "https://cdn.example") == 0)
    record.clear()
    record.serve { request throws(HTTPFailure) in
      guard let route = routes[request.url.description] else { return .json("there") }
      return HTTPResponse(status: route.status, fields: [("Location", route.location)], body: Secret("not here"))
    }
  }

  private func follow(_ arguments: String...) async -> Int32 { await record.run(["request", "--follow"] + arguments) }

  private var asked: [String] { record.requests.map { "\($0.method) \($0.url)" } }

  /// A member of each proof that was sent, request by request.
  private func proofs(_ member: String) throws -> [String] {
    try record.requests.map { request in
      let proof = try #require(request.fields.first { $0.name == "DPoP" }.map { text(of: $0.value) })
      let claims = try JSON(parsing: base64URLDecoded(proof.split(separator: ".")[1])).objectValue
      return try #require(claims?[member]?.stringValue)
    }
  }

  @Test("A redirect leads to this machine only if the user allowed that")
  func inside() async throws {
    await redirecting(
      [Self.start: (302, "http://127.0.0.1:2375/containers")],
      origins: ["https://pds.example", "http://127.0.0.1:2375"]
    )
    #expect(await follow(Self.start) == 8)
    #expect(asked == ["GET \(Self.start)"])
    #expect(await record.acct("allow", "alice.example.com", "http://127.0.0.1:2375") == 0)
    #expect(await follow(Self.start) == 0)
  }

  @Test(
    "A redirect within the account's origins is followed, each time with a new proof",
    arguments: [300, 301, 302, 303, 307, 308],
    ["GET", "HEAD"]
  )
  func follows(_ status: Int, _ method: String) async throws {
    await redirecting([
      Self.start: (status, "next?q=1#part"),
      "https://pds.example/next?q=1": (status, "//cdn.example/picture"),
    ])
    #expect(await follow(method, Self.start) == 0)
    #expect(
      asked
        == [Self.start, "https://pds.example/next?q=1", "https://cdn.example/picture"]
        .map { "\(method) \($0)" }
    )
    #expect(
      try proofs("htu") == [Self.start, "https://pds.example/next", "https://cdn.example/picture"]
    )
    #expect(Set(try proofs("jti")).count == 3)
    #expect(Set(try proofs("htm")) == [method])
    #expect(record.out == "there")
    #expect(record.err.isEmpty)
  }

  @Test("The option -L follows redirects, and without it none is followed")
  func option() async {
    await redirecting([Self.start: (302, "/next")])
    #expect(await record.run(["request", "-L", Self.start]) == 0)
    #expect(record.out == "there")
    #expect(await record.acct("request", Self.start) == 0)
    #expect(record.out == "not here")
    #expect(record.err == ["acct: redirects are not followed; this one leads to /next"])
    #expect(record.requests.count == 3)
  }

  @Test(
    "A redirect to a foreign origin ends the request with exit 8 and sends nothing there",
    arguments: [
      ("https://evil.example/", "refused: https://evil.example is not an origin of"),
      ("//pds.example.evil.test/", "refused: https://pds.example.evil.test is not an origin of"),
      ("https://pds.example:8443/", "refused: https://pds.example:8443 is not an origin of"),
      ("http://127.0.0.1:8080/", "refused: http://127.0.0.1:8080 is not an origin of"),
      ("http://pds.example/", "refused: "), ("https://pds.example@evil.example/", "refused: "),
    ]
  )
  func foreign(_ location: String, _ said: String) async {
    await redirecting([Self.start: (302, "/next"), "https://pds.example/next": (302, location)])
    #expect(await follow(Self.start, "-i") == 8)
    #expect(asked == [Self.start, "https://pds.example/next"].map { "GET \($0)" })
    #expect(record.out.hasPrefix("HTTP/1.1 302"))
    #expect(record.out.hasSuffix("not here"))
    #expect(record.err.first?.hasPrefix("acct: \(said)") == true)
    #expect(record.err.count <= 2)
  }

  @Test("A chain of redirects ends after ten with exit 11")
  func loop() async {
    await redirecting([Self.start: (302, "/again"), "https://pds.example/again": (302, "/start")])
    #expect(await follow(Self.start) == 11)
    #expect(record.requests.count == 11)
    #expect(record.out == "not here")
    #expect(
      record.err.first == "acct: https://pds.example redirects once more, after 10 redirects that were followed"
    )
  }

  @Test("A redirect that leads to no URL exits 11 and says so", arguments: ["https:x", "/two words"])
  func malformed(_ location: String) async {
    await redirecting([Self.start: (302, location)])
    #expect(await follow(Self.start) == 11)
    #expect(record.err == ["acct: https://pds.example redirects to \(location), which is no URL"])
  }

  @Test("A redirect is followed for GET and HEAD, and is the answer to every other request")
  func others() async {
    await redirecting([Self.start: (303, "/next")])
    for arguments in [["POST"], ["PUT", "-d", "x"], ["GET", "-d", "x"], ["DELETE"]] {
      record.clear()
      let line = ["request", "-L"] + arguments.prefix(1) + [Self.start] + arguments.dropFirst()
      #expect(await record.run(line) == 0)
      #expect(record.out == "not here")
      #expect(record.err == ["acct: this redirect is not followed; it leads to /next"])
    }
    #expect(record.requests.count == 4)
  }

  @Test("A field of -H follows a redirect, and a cookie stays with its origin")
  func fields() async {
    await redirecting([Self.start: (302, "/next"), "https://pds.example/next": (302, "https://cdn.example/")])
    #expect(await follow(Self.start, "-H", "Cookie: a=b", "-H", "Accept: text/plain") == 0)
    func sent(_ name: String) -> [Bool] { record.requests.map { $0.fields.contains { $0.name == name } } }
    #expect(sent("Cookie") == [true, true, false])
    #expect(sent("Accept") == [true, true, true])
  }
}
