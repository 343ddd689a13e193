import AcctModel
import StrictJSON

extension ClientSettings {
  /// The form in an account's file; `nil` for a public client with the standard settings.
  var json: JSON? {
    guard self != .standard else { return nil }
    var object = JSONObject()
    object["authentication"] = authentication.map { .string($0.rawValue) }
    object["assertionAudience"] = assertionAudience.map { .string($0.rawValue) }
    if !endpoints.isEmpty { object["endpoints"] = Self.json(of: endpoints) }
    if !tokenParameters.isEmpty { object["tokenParameters"] = Self.json(of: tokenParameters) }
    if !usesDPoP { object["dpop"] = false }
    if grant != .authorizationCode { object["grant"] = .string(grant.rawValue) }
    object["provider"] = provider.map(JSON.string)
    if isRegistered { object["registered"] = true }
    object["certificate"] = certificate?.json
    if hasInputs { object["inputs"] = inputs.json }
    return .object(object)
  }

  /// Parses settings.
  ///
  /// An unknown member is damage, too: a renewal that ignores it may end the session.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    self.init()
    for (name, value) in object {
      switch name {
      case "authentication": authentication = try Self.choice(value)
      case "assertionAudience": assertionAudience = try Self.choice(value)
      case "endpoints": endpoints = try Self.endpoints(value)
      case "tokenParameters": tokenParameters = try Self.parameters(value, in: .token)
      case "dpop":
        guard let isUsed = value.boolValue else { throw AccountFile.Damage() }
        usesDPoP = isUsed
      case "grant": grant = try Self.choice(value)
      case "provider":
        guard let text = value.stringValue else { throw AccountFile.Damage() }
        provider = text
      case "registered":
        guard let isTrue = value.boolValue else { throw AccountFile.Damage() }
        isRegistered = isTrue
      case "certificate": certificate = try ClientCertificate(value)
      case "inputs": inputs = try TokenInputs(value)
      default: throw AccountFile.Damage()
      }
    }
  }

  static func json(of endpoints: [EndpointName: HTTPURL]) -> JSON {
    var named = JSONObject()
    for name in EndpointName.allCases { named[name.rawValue] = endpoints[name].map { .string($0.description) } }
    return .object(named)
  }

  static func json(of parameters: [RequestParameter]) -> JSON {
    .array(parameters.map { .array([.string($0.name), .string($0.value)]) })
  }

  private static func choice<Value: RawRepresentable<String>>(_ json: JSON) throws(AccountFile.Damage) -> Value {
    guard let value = json.stringValue.flatMap(Value.init) else { throw AccountFile.Damage() }
    return value
  }

  static func endpoints(_ json: JSON) throws(AccountFile.Damage) -> [EndpointName: HTTPURL] {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    var endpoints: [EndpointName: HTTPURL] = [:]
    for (name, value) in object {
      guard let name = EndpointName(rawValue: name), let text = value.stringValue, let url = try? HTTPURL(text)
      else { throw AccountFile.Damage() }
      endpoints[name] = url
    }
    return endpoints
  }

  static func parameters(
    _ json: JSON,
    in place: RequestParameter.Place = .authorization
  ) throws(AccountFile.Damage) -> [RequestParameter] {
    guard let list = json.arrayValue else { throw AccountFile.Damage() }
    var parameters: [RequestParameter] = []
    for element in list {
      guard let pair = element.arrayValue, pair.count == 2, let name = pair[0].stringValue,
        let value = pair[1].stringValue, let parameter = try? RequestParameter(name: name, value: value, in: place)
      else { throw AccountFile.Damage() }
      parameters.append(parameter)
    }
    return parameters
  }
}
