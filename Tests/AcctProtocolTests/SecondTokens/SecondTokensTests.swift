import Release
import AcctModel
import Secrets
import AcctProtocol
import Testing

@Suite("The item of second tokens")
struct SecondTokensTests {
  private static let token = #"{"audience":"a","scope":null,"token":"t","expiresAt":null,"lifetime":null}"#

  @Test(
    "An item that acct does not write is damaged",
    arguments: [
      "", "[]", "{}", #"{"version":2,"tokens":[]}"#, #"{"version":1}"#, #"{"version":1,"tokens":[1]}"#,
      #"{"version":1,"tokens":[{}]}"#, #"{"version":1,"tokens":[{"token":"t"}]}"#,
      #"{"version":1,"tokens":[{"audience":"a","token":""}]}"#,
      #"{"version":1,"tokens":[{"audience":"a","token":"a b"}]}"#,
      #"{"version":1,"tokens":[{"audience":1,"token":"t"}]}"#,
      #"{"version":1,"tokens":[{"scope":"a  b","token":"t"}]}"#,
      #"{"version":1,"tokens":[{"audience":"a","token":"t","expiresAt":"soon"}]}"#,
      #"{"version":1,"tokens":[{"audience":"a","token":"t","lifetime":"1"}]}"#,
      #"{"version":1,"tokens":[\#(token),\#(token)]}"#,
    ]
  )
  func damage(item: String) {
    #expect(throws: SecondTokens.Damage.self) { try SecondTokens(Secret(item)) }
  }

  @Test("An item has what was put in, and a token for the same purpose replaces the one before")
  func roundTrip() throws {
    var tokens = SecondTokens()
    for (audience, name) in [("a", "1"), ("b", "2"), ("a", "3")] {
      let purpose = try #require(try TokenPurpose(audience: audience, scope: "x w"))
      tokens.put(
        SecondToken(
          purpose: purpose,
          token: try Token(name),
          lifetime: TokenLifetime(expiresAt: .epoch, lifetime: 60, canRenew: true)
        ),
        at: .epoch
      )
    }
    let read = try SecondTokens(tokens.item)
    #expect(read.tokens.map(\.token) == [try Token("2"), try Token("3")])
    #expect(read.tokens.map(\.purpose.scopeText) == ["w x", "w x"])
    #expect(read.tokens.first?.lifetime.lifetime == 60)
    #expect(read.item == tokens.item)
  }

  @Test("Beyond the limit a token that has expired goes before the one that was granted first")
  func limit() throws {
    var tokens = SecondTokens()
    for number in 0...SecondTokens.limit {
      let purpose = try #require(try TokenPurpose(audience: "\(number)", scope: nil))
      let end = Timestamp(secondsSince1970: number == 5 ? 1 : 1000)
      tokens.put(
        SecondToken(purpose: purpose, token: try Token("t"), lifetime: TokenLifetime(expiresAt: end, canRenew: true)),
        at: Timestamp(clamped: 10)
      )
    }
    #expect(tokens.tokens.count == SecondTokens.limit)
    #expect(tokens.tokens.first?.purpose.audience == "0")
    #expect(!tokens.tokens.contains { $0.purpose.audience == "5" })
  }
}
