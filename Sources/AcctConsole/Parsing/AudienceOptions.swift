import AcctProtocol
package import ArgumentParser
package import Release

/// Another token than the account's own, out of the same sign-in.
package struct AudienceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use a token for another audience.", valueName: "audience"))
  package var audience: String?

  @Option(help: ArgumentHelp("Use a token with only this scope.", valueName: "scope"))
  package var scope: String?

  package init() {}

  /// The purpose of the token, once it has been validated; `nil` for the account's own token.
  package var purpose: TokenPurpose? { (try? tokenPurpose(audience: audience, scope: scope)) ?? nil }

  package func validate() throws { _ = try tokenPurpose(audience: audience, scope: scope) }
}

/// The purpose of a token; `nil` for the account's own.
///
/// - Parameters:
///   - audience: The value of `--audience`.
///   - scope: The value of `--scope`.
/// - Returns: The purpose.
/// - Throws: `ValidationError`.
package func tokenPurpose(audience: String?, scope: String?) throws -> TokenPurpose? {
  do { return try TokenPurpose(audience: audience, scope: scope) } catch {
    switch error {
    case .audience: throw ValidationError("--audience is a name or a URL of at most 1024 bytes")
    case .scope: throw ValidationError("--scope is one or more words with single spaces between them")
    }
  }
}
