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
    do { json = try JSON(parsing: bytes, maximumBytes: Self.largest) } catch {
      throw ProviderFlaw("", .json(error))
    }
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
    tokenParameters = try parameters?.parameters("token") ?? []
    redirect = try file.parsed("redirectURI", LoopbackRedirect.init)
    keyBinding = try file.choice("dpop") ?? .auto
    origins = try file.origins()
    let identity = try file.members("identity", known: ["subject", "name"])
    subjectMember = try identity?.string("subject")
    nameMember = try identity?.string("name")
    registration =
      try file.members("registration", known: ["style"])?.choice("style") ?? .rfc7591
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

extension ProviderMembers {
  fileprivate func address(
    _ name: String,
    allowing allowed: Set<ProviderAddress.Placeholder> = [.host, .tenant, .realm]
  ) throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string(name) else { return nil }
    let address: ProviderAddress
    do { address = try ProviderAddress(text, allowing: allowed) } catch {
      throw ProviderFlaw(path(of: name), error)
    }
    guard name != "issuer" || !text.contains("?") else {
      throw ProviderFlaw(path(of: name), .malformed)
    }
    return address
  }

  fileprivate func endpoints() throws(ProviderFlaw) -> [EndpointName: ProviderAddress] {
    let known = EndpointName.allCases.map(\.rawValue)
    guard let members = try members("endpoints", known: known) else { return [:] }
    var endpoints: [EndpointName: ProviderAddress] = [:]
    for name in EndpointName.allCases { endpoints[name] = try members.address(name.rawValue) }
    return endpoints
  }

  /// Origins: addresses without a path.
  fileprivate func origins() throws(ProviderFlaw) -> [ProviderAddress] {
    var origins: [ProviderAddress] = []
    for text in try list("origins") ?? [] {
      let origin: ProviderAddress
      do { origin = try ProviderAddress(text, allowing: [.host]) } catch {
        throw ProviderFlaw(path(of: "origins"), error)
      }
      let sample = filling(text) { $0 == .host ? "host.invalid" : nil }
      guard (try? Origin(sample)) != nil else {
        throw ProviderFlaw(path(of: "origins"), .malformed)
      }
      origins.append(origin)
    }
    return origins
  }

  /// A text of visible ASCII characters.
  fileprivate func visible(_ name: String) throws(ProviderFlaw) -> String? {
    let text = try string(name)
    guard text?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
      throw ProviderFlaw(path(of: name), .malformed)
    }
    return text
  }

  fileprivate func scope() throws(ProviderFlaw) -> String? {
    let text = try string("scope")
    guard text?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true else {
      throw ProviderFlaw(path(of: "scope"), .malformed)
    }
    return text
  }

  fileprivate func separator() throws(ProviderFlaw) -> String {
    guard let text = try string("scopeSeparator") else { return " " }
    guard [" ", ","].contains(text) else {
      throw ProviderFlaw(path(of: "scopeSeparator"), .notOneOf([" ", ","]))
    }
    return text
  }

  fileprivate func parameters(_ name: String) throws(ProviderFlaw) -> [RequestParameter] {
    guard let members = try members(name, known: nil) else { return [] }
    var parameters: [RequestParameter] = []
    for name in members.names {
      let path = members.path(of: name)
      guard let value = try members.string(name) else { throw ProviderFlaw(path, .missing) }
      parameters.append(try parameter(name, value, at: path))
    }
    return parameters
  }

  fileprivate func parameter(
    _ name: String,
    _ value: String,
    at path: String
  ) throws(ProviderFlaw) -> RequestParameter {
    do { return try RequestParameter(name: name, value: value) } catch .ownParameter {
      throw ProviderFlaw(path, .ownParameter)
    } catch {
      throw ProviderFlaw(path, .malformed)
    }
  }

  fileprivate func defaults() throws(ProviderFlaw) -> ProviderPlace {
    var place = ProviderPlace()
    if let host = try string("host") {
      do { place.host = try ProviderPlace.host(host) } catch {
        throw ProviderFlaw(path(of: "host"), .malformed)
      }
    }
    if let tenant = try string("tenant") {
      do { place.tenant = try ProviderPlace.name(tenant) } catch {
        throw ProviderFlaw(path(of: "tenant"), .malformed)
      }
    }
    return place
  }
}
