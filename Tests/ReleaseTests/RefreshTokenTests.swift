import Release
import Secrets
import Testing

@Suite("Refresh tokens")
struct RefreshTokenTests {
  @Test("A refresh token is the same as one with the same characters alone")
  func comparison() throws {
    let token = try RefreshToken(Token("made-up"))
    #expect(token.isSame(as: try RefreshToken(Token("made-up"))))
    #expect(!token.isSame(as: try RefreshToken(Token("made-up-2"))))
    #expect(!token.isSame(as: nil))
    #expect(token.opened(for: .keyring) == Secret("made-up"))
  }
}
