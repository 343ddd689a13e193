package import AcctModel
package import StrictJSON

/// A server that is known by name, as its file describes it.
package struct Provider: Sendable {
  /// The kind of credential that its accounts have.
  package enum Kind: String, Sendable, CaseIterable {
    case oauth
    /// A password that the user makes for acct in the server's settings.
    case appPassword
  }

  /// The way of signing in where the user does not choose one.
  package enum Flow: String, Sendable, CaseIterable { case browser, device }

  /// The rule for binding tokens to a key.
  package enum KeyBinding: String, Sendable, CaseIterable {
    /// Bound if the server's metadata names DPoP.
    case auto
    case never
  }

  /// The way to register a client without a person.
  package enum RegistrationStyle: String, Sendable, CaseIterable {
    case rfc7591
    /// `POST /api/v1/apps` of Mastodon, older than the RFC.
    case mastodon
    /// Not at all: the user brings a client.
    case never
  }

  /// The name of its file.
  package let name: String
  /// The file as it was read.
  package let document: JSONObject
  package let kind: Kind
  package let title: String?
  /// The server's issuer identifier; `nil` where it has no metadata.
  package let issuer: ProviderAddress?
  /// Endpoints in place of those of its metadata, or of the metadata itself.
  package let endpoints: [EndpointName: ProviderAddress]
  /// A client that may be used by anyone who has the file.
  package let clientID: String?
  /// The page where a person registers a client, or makes an app password.
  package let registerAt: ProviderAddress?
  package let clientAuth: ClientAuthentication?
  /// `true` if the client's secret proves nothing, and is required all the same.
  package let secretIsPublic: Bool
  package let flow: Flow
  package let scope: String?
  /// The parameter for the scope, where it is not `scope`.
  package let scopeParameter: String
  package let scopeSeparator: String
  package let authorizationParameters: [RequestParameter]
  package let tokenParameters: [RequestParameter]
  package let redirect: LoopbackRedirect?
  package let keyBinding: KeyBinding
  /// The origins that the tokens are used at; if empty, the one where the user signs in.
  package let origins: [ProviderAddress]
  /// The member of the userinfo that tells one user from another.
  package let subjectMember: String?
  /// The member of the userinfo that people know the user by.
  package let nameMember: String?
  package let registration: RegistrationStyle
  /// The page where a person registers a client, with its fields filled in by its address.
  let registrationPage: ProviderAddress?
  /// The parts of addresses that are used where the user does not name them.
  package let defaults: ProviderPlace
}

extension Provider {
  /// The parts of its addresses that the user types behind its name, or that the file has a default for.
  package var placeholders: Set<ProviderAddress.Placeholder> {
    let single = [issuer, registerAt, registrationPage].compactMap(\.self)
    let addresses: [ProviderAddress] = single + Array(endpoints.values) + origins
    var all: Set<ProviderAddress.Placeholder> = []
    for address in addresses { all.formUnion(address.placeholders) }
    return all.subtracting([.tenantID])
  }

  /// The form in which a user types it: `github`, `gitlab[:HOST]`, `keycloak:HOST/REALM`.
  package var usage: String {
    let name = name.hasSuffix("-host") ? String(name.dropLast(5)) : name
    let needed = placeholders
    let parts = [
      needed.contains(.host) ? "HOST" : nil, needed.contains(.realm) ? "REALM" : nil,
      needed.contains(.tenant) ? "TENANT" : nil,
    ].compactMap(\.self)
    guard !parts.isEmpty else { return name }
    let place = ":" + parts.joined(separator: "/")
    let isOptional = (try? ProviderPlace(nil, for: needed, defaults: defaults)) != nil
    return name + (isOptional ? "[\(place)]" : place)
  }
}
