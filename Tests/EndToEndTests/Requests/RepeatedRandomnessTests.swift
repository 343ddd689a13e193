import AcctTestSupport
import Testing

/// What copies of one virtual machine may have in common.
///
/// Two signatures with one nonce, of different messages, give the key away.
@Suite("Random numbers that repeat")
struct RepeatedRandomnessTests {
  @Test("A signature's nonce is another for another message, though random numbers repeat")
  func hedged() async throws {
    let home = try AcctHome(with: Self.repeating)
    #expect(try await home.importing(Self.account).status == 0)
    // The first command leaves the vault's key with the kernel, the others find it there.
    _ = try await proof(of: "https://pds.example/one", by: home)
    let first = try await proof(of: "https://pds.example/one", by: home)
    let again = try await proof(of: "https://pds.example/one", by: home)
    let other = try await proof(of: "https://pds.example/two", by: home)
    // Everything repeats: what follows is not by chance.
    #expect(again == first)
    #expect(other.message != first.message)
    #expect(other.r != first.r)
  }

  private struct Proof: Equatable {
    /// What is signed: header and claims.
    let message: Substring
    /// r and s in base64url.
    let signature: Substring
    /// The first 252 bits of r, which the nonce alone determines.
    var r: Substring { signature.prefix(42) }
  }

  private func proof(of url: String, by home: AcctHome) async throws -> Proof {
    let output = try await home.acct("header", url)
    try #require(output.status == 0, "\(output.errorText)")
    let line = try #require(output.text.split(separator: "\n").first { $0.hasPrefix("DPoP: ") })
    let end = try #require(line.lastIndex(of: "."))
    return Proof(message: line[..<end], signature: line[line.index(after: end)...])
  }

  /// What makes them repeat, and the clock stand.
  private static let repeating = [
    "LD_PRELOAD": Product.executable("libFaults.so"), "REPEATED_RANDOMNESS": "1",
    "CLOCK_AT": "1800000000",
  ]

  private static let account = """
    {
      "accessToken": "made-up", "did": "did:plc:exampleexampleexample234",
      "pds": "https://pds.example", "issuer": "https://issuer.example",
      "clientId": "https://app.example/client.json",
      "dpopKey": {
        "kty": "EC", "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
      }
    }
    """
}
