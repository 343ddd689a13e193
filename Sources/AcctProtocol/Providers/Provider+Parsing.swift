import AcctModel
import StrictJSON

extension Provider {
  /// In bytes, of a file.
  package static let largest = 16 << 10

  private static let members = [
    "kind", "title", "issuer", "endpoints", "clientID", "registerAt", "clientAuth",
    "secretIsPublic", "flow", "scope", "scopeParameter", "scopeSeparator", "parameters",
    "redirectURI", "dpop", "origins", "identity", "registration", "host", "tenant",
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
    let file = try ProviderMembers(object, known: Self.members)
    self.name = name
    document = object
    kind = try file.choice("kind") ?? .oauth
    title = try file.string("title")
    issuer = try file.address("issuer", allowing: [.host, .tenant, .realm, .tenantID])
    endpoints = try file.endpoints()
    clientID = try file.visible("clientID")
    registerAt = try file.address("registerAt")
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
    if kind == .appPassword {
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
