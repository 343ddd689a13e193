import AcctTestSupport
import Testing

/// pydpop is a verifier of DPoP proofs (RFC 9449, section 4.3) that shares no code with acct.
@Suite("A printed proof in pydpop")
struct PydpopTests {
  private let url = "https://pds.example/xrpc/app.bsky.feed.getTimeline"

  @Test("A proof is accepted for its own request", arguments: ["GET", "POST", "DELETE"])
  func accepted(method: String) async throws {
    let header = try await header(method, url)
    #expect(try await verdict(on: header, method, url) == "accepted")
  }

  @Test(
    "A proof names the request's URL without query, fragment, default port or upper-case host",
    arguments: ["?limit=20", "#top", "?a=/b#c"]
  )
  func namedURL(suffix: String) async throws {
    let header = try await header("GET", "https://PDS.example:443/xrpc/a%20b\(suffix)")
    #expect(try await verdict(on: header, "GET", "https://pds.example/xrpc/a%20b") == "accepted")
  }

  @Test("A proof is new each time, so a second request is not a replay")
  func secondRequest() async throws {
    let home = try await homeOfAlice()
    let first = try await home.acct("header", url).text
    let second = try await home.acct("header", url).text
    #expect(try await verdict(on: first + second, "GET", url) == "accepted")
    #expect(try await verdict(on: first + first, "GET", url) == "replayed jti")
  }

  @Test("A proof is rejected for another request")
  func otherRequest() async throws {
    let header = try await header("GET", url)
    #expect(try await verdict(on: header, "POST", url) == "htm mismatch")
    #expect(try await verdict(on: header, "GET", "\(url)s") == "htu mismatch")
    #expect(try await verdict(on: header, "GET", "https://other.example/") == "htu mismatch")
    #expect(try await verdict(on: header, "GET", url, nonce: "one") == "nonce mismatch")
  }

  @Test("A proof is rejected with another token")
  func otherToken() async throws {
    let header = try await header("GET", url)
    let proof = try #require(header.split(separator: "\n").last)
    let mixed = "Authorization: DPoP another-token\n\(proof)\n"
    #expect(try await verdict(on: mixed, "GET", url) == "ath mismatch")
  }

  /// A home with the DPoP account of the demo.
  private func homeOfAlice() async throws -> AcctHome {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  private func header(_ method: String, _ url: String) async throws -> String {
    let printed = try await homeOfAlice().acct("header", method, url)
    try #require(printed.status == 0, "\(printed.errorText)")
    return printed.text
  }

  /// "accepted", or why not, in the verifier's words.
  private func verdict(
    on header: String,
    _ method: String,
    _ url: String,
    nonce: String? = nil
  ) async throws -> String {
    let script = "Examples/verify_proof.py"
    let verified =
      if let nonce {
        try await python(script, method, url, nonce, input: header)
      } else {
        try await python(script, method, url, input: header)
      }
    if verified.status == 0 { return "accepted" }
    let last = verified.text.split(separator: "\n").last.map(String.init) ?? verified.errorText
    return last.hasPrefix("refused: ") ? String(last.dropFirst("refused: ".count)) : last
  }
}
