import AcctModel
import AcctCrypto
import AcctProtocol
import StrictJSON
import Testing

@Suite("base64url")
struct Base64URLTests {
  @Test("The strings of RFC 4648 are encoded and decoded")
  func vectors() throws {
    for (text, encoded) in try example("rfc4648-10") {
      let expected = try #require(encoded.stringValue)
      #expect(Base64URL.encode(Array(text.utf8).span) == expected)
      #expect(try Base64URL.decode(expected) == Array(text.utf8))
    }
  }

  @Test("Every byte and every pair of lengths is decoded as it was encoded")
  func roundTrip() throws {
    let all = (0...255).map { UInt8($0) }
    for count in 0...256 {
      let bytes = Array(all.reversed()[..<count])
      let text = Base64URL.encode(bytes.span)
      #expect(text.utf8.allSatisfy { !"+/=".utf8.contains($0) })
      #expect(try Base64URL.decode(text) == bytes)
    }
    #expect(Base64URL.encode([0xFB, 0xFF, 0xBF].span) == "-_-_")
  }

  @Test(
    "A text that is not canonical base64url is rejected",
    arguments: [
      ("Zg==", .padding), ("Zg=", .padding), ("=", .padding), ("Zm9v=", .padding), ("Zh", .strayBits),
      ("Zm9", .strayBits), ("Z_", .strayBits), ("AB", .strayBits), ("AAB", .strayBits), ("Z", .length),
      ("Zm9vY", .length), ("Zm 9v", .character), ("Zm9v\n", .character), (" Zm9v", .character), ("Zm+v", .character),
      ("Zm/v", .character), ("Zm9é", .character), ("Zm.v", .character), ("\u{0}", .character),
    ] as [(String, Base64URL.Fault)]
  )
  func faults(text: String, fault: Base64URL.Fault) {
    #expect(throws: fault) { try Base64URL.decode(text) }
  }

  @Test("The challenge of RFC 7636 is base64url of SHA-256")
  func pkce() throws {
    let example = try example("rfc7636-b")
    let digest = SHA256.hash(Array(try example.text("verifier").utf8).span)
    #expect(try Base64URL.encode(digest.span) == example.text("challenge"))
  }
}
