import Release
import AcctModel
import AcctProtocol
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Learning from the answers that curl got")
struct ObserveTests {
  private let world = RecordedWorld()

  private func observe(_ heads: String, _ url: String = "https://pds.example/x") async -> Int32 {
    world.provide("-", heads)
    return await world.acct("observe", url)
  }

  /// The nonce that a proof for the resource server would have.
  private var nonce: String? {
    guard let origin = try? Origin("https://pds.example") else { return nil }
    return world.file(.nonce(origin))?.split { " \n".contains($0) }.dropFirst(2).first.map(String.init)
  }

  @Test(
    "A nonce is found in every format in which response heads are printed",
    arguments: [
      "HTTP/1.1 200 OK\r\nDPoP-Nonce: n2\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\nDPoP-Nonce: n2\n\n",
      "HTTP/2 200 \r\ndpop-nonce: n2\r\n\r\n",
      "HTTP/3 200\r\ndpop-nonce:n2\r\n\r\n",
      "DPoP-Nonce: n2\r\n",
      "dpop-nonce: n2",
      "\r\n\r\nDPoP-Nonce:   n2\t\r\n\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nDPoP-Nonce: n2\r\n\r\n",
      "HTTP/1.1 302 Found\r\nDPoP-Nonce: n1\r\nLocation: /y\r\n\r\nHTTP/2 200\r\nDPoP-Nonce: n2\r\n\r\n",
      "HTTP/1.1 401 Unauthorized\r\nDPoP-Nonce: n1\r\nHTTP/1.1 200\r\nDPoP-Nonce: n2\r\n\r\n",
      "DPoP-Nonce: n1\n\nDPoP-Nonce: n2\n\n",
      "HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 400 Bad Request\r\nDPoP-Nonce: n2\r\n\r\n",
      "HTTP/2 200\r\ndpop-nonce: n2\r\n\r\nserver-timing: db;dur=53\r\n\r\n",
      "HTTP/1.1 200 OK\r\nDPoP-Nonce: n2\r\n\r\n{\"DPoP-Nonce\": \"n3\"}\nDPoP-Nonce: n3\n",
      "HTTP/1.1 200 OK\r\nDPoP-Nonce:\r\n n2\r\n\r\n",
    ]
  )
  func spellings(_ heads: String) async {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe(heads) == 0, "\(heads)")
    #expect(nonce == "n2", "\(heads)")
    #expect(world.out.isEmpty && world.err.isEmpty)
  }

  @Test("The proof after an observed answer has its nonce, and the server's time if ours is wrong")
  func proof() async throws {
    _ = await world.add(Handoffs.dpop())
    // One hour ahead of this machine's clock.
    let heads = "HTTP/2 200\ndate: Fri, 15 Jan 2027 09:00:00 GMT\ndpop-nonce: fresh\n\n"
    #expect(await observe(heads) == 0)
    #expect(await world.acct("header", "https://pds.example/x") == 0)
    let proof = try #require(world.out.split(separator: "\n").last).dropFirst("DPoP: ".count)
    let claims = try JWT.decode(Token(String(proof))).claims.object
    #expect(claims["nonce"] == "fresh")
    #expect(claims["iat"] == 1_800_003_600)
  }

  @Test(
    "A server clock more than a day off in either direction is ignored",
    arguments: [
      ("Fri, 31 Dec 9999 23:59:59 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Sat, 16 Jan 2027 08:00:01 GMT", 0), ("Sat, 16 Jan 2027 08:00:00 GMT", 86_400),
      ("Thu, 14 Jan 2027 08:00:00 GMT", -86_400), ("Thu, 14 Jan 2027 07:59:59 GMT", 0),
    ] as [(String, Int64)]
  )
  func unbelievableClock(_ date: String, _ skew: Int64) async throws {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe("HTTP/2 200\ndate: \(date)\ndpop-nonce: fresh\n\n") == 0)
    #expect(try await issuedAt() == 1_800_000_000 + skew)
    // A hint that was stored before such clocks were rejected is ignored as well.
    let file = StoredFile.nonce(try Origin("https://pds.example"))
    for planted in ["253402300799", "-9223372036854775808"] {
      world.corrupt(file, with: "1800000000 \(planted) n\n")
      #expect(try await issuedAt() == 1_800_000_000)
    }
  }

  /// The time in a proof that is made now.
  private func issuedAt() async throws -> Int64? {
    #expect(await world.acct("header", "https://pds.example/x") == 0)
    let proof = try #require(world.out.split(separator: "\n").last).dropFirst("DPoP: ".count)
    return try JWT.decode(Token(String(proof))).claims.object["iat"]?.numberValue?.integer
  }

  @Test("A nonce is used for 5 minutes, and not for a second more", arguments: [300, 301])
  func age(seconds: Int64) async throws {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe("HTTP/2 200\ndpop-nonce: aging\n\n") == 0)
    world.now += seconds
    #expect(await world.acct("header", "https://pds.example/x") == 0)
    let proof = try #require(world.out.split(separator: "\n").last).dropFirst("DPoP: ".count)
    let claims = try JWT.decode(Token(String(proof))).claims.object
    #expect(claims["nonce"]?.stringValue == (seconds == 300 ? "aging" : nil))
  }

  @Test(
    "An observation that can't be headers is bad input",
    arguments: ["", "\n\n", "\r\n", "not a header\n", ": empty\n", "spaced : no\n", "{\"a\"}", "\0"]
  )
  func nothing(_ heads: String) async {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe(heads) == 65)
    #expect(
      world.err == ["acct: there are no response headers on standard input", "acct: hint: `curl -D -` prints them"]
    )
  }

  @Test("An observed head without news, or with bytes that are not text, is no error")
  func harmless() async {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe("HTTP/2 204\r\n\r\n") == 0)
    #expect(await observe("Server: x\n") == 0)
    world.provide("-", bytes: Array("HTTP/1.1 200 OK\nX: \u{1}".utf8) + [0xFF, 0xFE, 0x0A])
    #expect(await world.acct("observe", "https://pds.example/x") == 0)
    #expect(nonce == nil)
  }

  @Test("An observation of more than a mebibyte is rejected")
  func size() async {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe("X: \(String(repeating: "x", count: 1 << 20))\n") == 65)
    #expect(world.err == ["acct: - is larger than 1024 KiB"])
  }

  @Test("An observation teaches only about the account's own origins")
  func origins() async {
    _ = await world.add(Handoffs.dpop())
    #expect(await observe("DPoP-Nonce: n\n", "https://evil.example/x") == 8)
    #expect(await observe("DPoP-Nonce: n\n", "http://pds.example/x") == 8)
    #expect(await observe("DPoP-Nonce: n\n", "nonsense") == 64)
    #expect(nonce == nil)
  }

  @Test("An observed head never changes a credential")
  func credentials() async {
    await world.addGuest()
    let heads = "HTTP/1.1 401 Unauthorized\r\nX-RateLimit-Remaining: 0\r\n\r\n"
    #expect(await observe(heads, "https://api.example/x") == 0)
    #expect(world.keyring.count == 1)
    #expect(await world.acct("header", "https://api.example/x") == 0)
  }

  @Test("The command observe --json prints the limits that are now known")
  func json() async throws {
    _ = await world.add(Handoffs.dpop())
    world.provide("-", "X-RateLimit-Remaining: 3\n")
    #expect(await world.acct("observe", "https://pds.example/x", "--json") == 0)
    let limits = try #require(world.json?.objectValue?["limits"]?.arrayValue)
    #expect(limits.map { $0.objectValue?["remaining"] } == [3])
  }
}
