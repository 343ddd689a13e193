package import AcctModel

/// A provider with everything put into its addresses, as a sign-in there needs it.
package struct ResolvedProvider: Sendable {
  /// As it was typed, such as `gitlab:git.example`.
  package let typed: String
  /// The file's name and the parts that are put into its addresses: the same for every way of typing it.
  package let place: String
  @Boxed package var provider: Provider
  /// `nil` where the server has no metadata, or where the ID token alone tells the issuer.
  package let issuer: Issuer?
  /// The issuer but for the tenant that the ID token names.
  package let issuerTemplate: IssuerTemplate?
  package let endpoints: [EndpointName: HTTPURL]
  /// The origins that its tokens are used at; if empty, the one where the user signs in.
  package let origins: [Origin]
  /// The page where a person registers a client, or makes an app password.
  package let registerAt: String?
  /// The same with its fields filled in, where the site takes them from the address.
  package let registrationPage: @Sendable (_ redirect: String) -> String?
}

extension Provider {
  /// Puts the parts that the user typed into the addresses.
  ///
  /// - Parameter typed: The provider's name, and the part behind it.
  /// - Returns: The provider with the addresses that a sign-in needs.
  /// - Throws: ``ProviderPlace/Flaw``.
  package func resolved(for typed: ProviderName) throws(ProviderPlace.Flaw) -> ResolvedProvider {
    let place = try ProviderPlace(typed.place, for: placeholders, defaults: defaults)
    let hasTemplate = issuer?.placeholders.contains(.tenantID) ?? false
    var addresses: [EndpointName: HTTPURL] = [:]
    // The parser has seen each of them with other values, and these can't change what an address means.
    for (name, address) in endpoints { addresses[name] = try? HTTPURL(address.filled(place)) }
    return ResolvedProvider(
      typed: typed.description,
      place: ([name] + [place.host, place.tenant, place.realm].map { $0 ?? "" }).joined(separator: "/"),
      provider: self,
      issuer: hasTemplate ? nil : issuer.flatMap { try? Issuer($0.filled(place)) },
      issuerTemplate: hasTemplate ? issuer.map { IssuerTemplate(text: $0.filled(place)) } : nil,
      endpoints: addresses,
      origins: origins.compactMap { try? Origin($0.filled(place)) },
      registerAt: registerAt?.filled(place),
      registrationPage: { [registrationPage] redirect in registrationPage?.page(place, redirect: redirect) }
    )
  }
}

extension ResolvedProvider {
  /// Scopes as this provider wants them: those that were asked for, or its own.
  ///
  /// - Parameter requested: The scopes that the user typed, separated by blanks or commas.
  /// - Returns: The scope of the request.
  package func scope(_ requested: String?) -> String? {
    guard let requested else { return provider.scope }
    return provider.scopeSeparator == " "
      ? requested : Scope.words(requested).joined(separator: provider.scopeSeparator)
  }
}
