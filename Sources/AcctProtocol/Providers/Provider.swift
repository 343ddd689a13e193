package import AcctModel
package import StrictJSON

/// A server that is known by name, as its file describes it.
package struct Provider: Sendable {
  /// The kind of credential that its accounts have.
  package enum Kind: String, Sendable, CaseIterable {
    case oauth
    /// A password that the user makes for acct in the server's settings.
    case appPassword
    /// A key or a token that the user makes in the server's settings: ``ProviderKey`` says how it is sent.
    case key
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
  /// The description of its keys; `nil` for another kind.
  package let key: ProviderKey?
  package let title: String?
  /// The server's issuer identifier; `nil` where it has no metadata.
  package let issuer: ProviderAddress?
  /// Endpoints in place of those of its metadata, or of the metadata itself.
  package let endpoints: [EndpointName: ProviderAddress]
  /// A client that may be used by anyone who has the file.
  package let clientID: String?
  /// The page where a person registers a client, or makes an app password or a key.
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

extension Provider {
  /// In bytes, of a file.
  package static let largest = 16 << 10

  private static let members = [
    "comment", "kind", "title", "issuer", "endpoints", "clientID", "registerAt", "clientAuth",
    "secretIsPublic", "flow", "scope", "scopeParameter", "scopeSeparator", "parameters",
    "redirectURI", "dpop", "origins", "identity", "registration", "host", "tenant",
  ]

  private static let keyMembers = [
    "comment", "kind", "title", "origins", "host", "tenant", "send", "environment", "prefixes", "page",
  ]

  /// Reads a provider's file, strictly: one JSON object without a member that is not known.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - name: Its name, without `.json`.
  /// - Throws: ``ProviderFlaw``, which names the member.
  package init(parsing bytes: [UInt8], name: String) throws(ProviderFlaw) {
    let json: JSON
    do { json = try JSON(parsing: bytes, maximumBytes: Self.largest) } catch { throw ProviderFlaw("", .json(error)) }
    guard let object = json.objectValue else { throw ProviderFlaw("", .wrongType(.object)) }
    let isKey = object["kind"] == .string(Kind.key.rawValue)
    let file = try ProviderMembers(object, known: isKey ? Self.keyMembers : Self.members)
    try file.checkComment()
    self.name = name
    document = object
    kind = try file.choice("kind") ?? .oauth
    key = isKey ? try file.key() : nil
    title = try file.string("title")
    issuer = try file.address("issuer", allowing: [.host, .tenant, .realm, .tenantID])
    endpoints = try file.endpoints()
    clientID = try file.visible("clientID")
    registerAt = isKey ? try file.keyPage() : try file.address("registerAt")
    clientAuth = try file.choice("clientAuth")
    secretIsPublic = try file.flag("secretIsPublic")
    flow = try file.choice("flow") ?? .browser
    scope = try file.scope()
    scopeSeparator = try file.separator()
    let scopeParameter = try file.string("scopeParameter")
    self.scopeParameter = scopeParameter ?? "scope"
    if let scopeParameter, scopeParameter != "scope" {
      _ = try file.parameter(scopeParameter, "", at: "scopeParameter")
    }
    let parameters = try file.members("parameters", known: ["authorization", "token"])
    authorizationParameters = try parameters?.parameters("authorization") ?? []
    tokenParameters = try parameters?.parameters("token", in: .token) ?? []
    redirect = try file.parsed("redirectURI", LoopbackRedirect.init)
    keyBinding = try file.choice("dpop") ?? .auto
    origins = try file.origins()
    let identity = try file.members("identity", known: ["subject", "name"])
    subjectMember = try identity?.string("subject")
    nameMember = try identity?.string("name")
    let registration = try file.members("registration", known: ["style", "url"])
    self.registration = try registration?.choice("style") ?? .rfc7591
    registrationPage = try registration?.page("url")
    defaults = try file.defaults()
    try check()
  }

  /// Makes sure that the parts fit each other.
  private func check() throws(ProviderFlaw) {
    if kind != .oauth {
      guard !origins.isEmpty else { throw ProviderFlaw("origins", .missing) }
      return
    }
    let startsSomewhere = endpoints[.authorization] != nil || endpoints[.deviceAuthorization] != nil
    if issuer == nil || issuer?.placeholders.contains(.tenantID) == true {
      guard endpoints[.token] != nil else { throw ProviderFlaw("endpoints.token", .missing) }
      guard startsSomewhere else { throw ProviderFlaw("endpoints.authorization", .missing) }
    }
    // The place of the issuer, else that of the endpoint where the user signs in.
    let first = endpoints[.authorization] ?? endpoints[.deviceAuthorization]
    guard let home = (issuer ?? first)?.place else { return }
    for name in EndpointName.allCases {
      guard let endpoint = endpoints[name], endpoint.place != home else { continue }
      // A userinfo endpoint gets nothing but a token, which is for the origins anyway.
      if name == .userinfo, origins.contains(where: { $0.place == endpoint.place }) { continue }
      throw ProviderFlaw("endpoints.\(name.rawValue)", .foreignHost(endpoint.place))
    }
  }
}

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
  /// The page where a person registers a client, or makes an app password or a key.
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
  /// Its name for people.
  package var title: String { provider.title ?? typed }

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
