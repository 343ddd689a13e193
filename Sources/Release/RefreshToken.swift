package import Secrets

/// A refresh token, which goes back to the server that issued it.
///
/// It is no ``Token``: no permit releases it, no header line has it, and nothing takes it where an access token belongs. It
/// leaves in a form, or for the keyring, which knows it by its type.
package struct RefreshToken: Sendable {
  private let token: Token

  package init(_ token: Token) { self.token = token }

  /// The characters, for one of these reasons.
  package func opened(for reason: Token.Opening) -> Secret { token.opened(for: reason) }

  package func isSame(as other: RefreshToken?) -> Bool { token == other?.token }
}
