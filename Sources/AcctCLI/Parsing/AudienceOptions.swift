import AcctProtocol
import ArgumentParser

/// Another token than the account's own, out of the same sign-in.
struct AudienceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use a token for another audience.", valueName: "audience"))
  var audience: String?

  @Option(help: ArgumentHelp("Use a token with only this scope.", valueName: "scope"))
  var scope: String?

  /// What the token is for; `nil` for the account's own.
  ///
  /// - Throws: ``TokenPurpose/Flaw``.
  private func parsed() throws(TokenPurpose.Flaw) -> TokenPurpose? {
    try TokenPurpose(audience: audience, scope: scope)
  }

  /// The same where it has been validated.
  var purpose: TokenPurpose? { (try? parsed()) ?? nil }

  func validate() throws {
    do { _ = try parsed() } catch {
      switch error {
      case .audience:
        throw ValidationError("--audience is a name or a URL of at most 1024 bytes")
      case .scope:
        throw ValidationError("--scope is one or more words with single spaces between them")
      }
    }
  }
}
