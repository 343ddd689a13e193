package import AcctModel
import AcctProtocol
import Release
import StrictJSON

/// The form of an account's file: one JSON object, version 1, times in RFC 3339.
package enum AccountFile {
  /// The version of the form, also of the home that has these files.
  package static let version: Int64 = 1

  /// Writes an account.
  package static func encode(_ account: Account) -> [UInt8] {
    let recordedState =
      switch account.recordedState {
      // Earlier versions read each as the first of its line: without its reason, and as a session's end.
      case .signedIn, .doubted, .renewalRefused: "signedIn"
      case .expired: "expired"
      case .reauthRequired, .rejected: "reauthRequired"
      case .signedOut: "signedOut"
      }
    var json: JSONObject = [
      "version": JSON(version),
      "id": .string(account.id.description),
      "name": .string(account.name.description),
      "kind": .string(account.kind.rawValue),
      "tokenType": .string(account.tokenType.rawValue),
      "subject": .init(account.identity.subject),
      "issuer": .init(account.identity.issuer?.description),
      "issuerSource": .init(account.issuerSource?.rawValue),
      "clientId": .init(account.identity.clientID),
      "source": .init(account.source?.word),
      "backend": .init(account.source?.backend?.description),
      "handle": .init(account.handle?.description),
      "did": .init(account.did?.description),
      "displayName": .init(account.displayName),
      "service": .init(account.service?.description),
      "origins": .array(account.origins.map { .string($0.description) }),
      "originReasons": account.origins.reasonsJSON,
      "scope": .init(account.scope),
      "resources": account.resources.isEmpty
        ? .null : .array(account.resources.map { .string($0.description) }),
      "thumbprint": .init(account.thumbprint),
      "expiresAt": .init(account.tokenLifetime.expiresAt?.description),
      "lifetime": account.tokenLifetime.lifetime.map { .number(JSONNumber($0)) } ?? .null,
      "canRenew": .bool(account.tokenLifetime.canRenew),
      "sessionEndsAt": .init(account.sessionEndsAt?.description),
      "limitations": account.limitations?.json ?? .null,
      "standing": .string(recordedState),
      "reason": .init(account.recordedState.storedReason),
      "renewalStartedAt": .init(account.renewalStartedAt?.description),
      "incoming": account.incoming.map {
        ["place": .string($0.place.description), "isWhole": .bool($0.isWhole)]
      } ?? .null,
      "validatedAt": .init(account.validatedAt?.description),
      "createdAt": .string(account.createdAt.description),
    ]
    json["subjectStatements"] = account.subjectStatements.json
    if account.recordedState.tokenStands { json["tokenStands"] = true }
    if let doubt = account.recordedState.doubt {
      json["refused"] = [
        "status": JSON(Int64(doubt.status)), "code": .init(doubt.code), "at": .string(doubt.time.description),
      ]
    }
    if let rejection = account.recordedState.rejection {
      json["rejected"] = [
        "by": .string(rejection.origin.description), "path": .init(rejection.path),
        "at": .string(rejection.time.description),
      ]
    }
    if account.keyStorage != .software { json["keyStorage"] = .string(account.keyStorage.rawValue) }
    json["sentAs"] = account.sentAs?.json
    if let program = account.keptFor { json["keptFor"] = .string(program.rawValue) }
    json["client"] = account.client.json
    json["signIn"] = account.signIn?.json
    json["ownGrant"] = account.ownGrant?.json
    if account.origins.hasPaths { json["places"] = account.origins.placesJSON }
    if let keptIn = account.keptIn { json["keptIn"] = .string(keptIn) }
    if !account.marks.isEmpty { json["marks"] = .number(JSONNumber(account.marks.rawValue)) }
    if !account.formerNames.isEmpty {
      json["formerNames"] = .array(account.formerNames.map { .string($0.description) })
    }
    if account.history != AccountHistory() { json["history"] = .string(account.history.text) }
    return JSON.object(json).serialized()
  }

  /// Parses an account; `nil` for anything that ``encode(_:)`` does not write.
  package static func decode(_ bytes: [UInt8]) -> Account? {
    guard let file = try? JSONMembers(parsing: bytes) else { return nil }
    var fields = Fields(file)
    return try? account(from: &fields)
  }

  /// `true` for an account of a later version of acct: the form has another version, or a word that this one does not know.
  package static func isNewer(_ bytes: [UInt8]) -> Bool {
    guard let file = try? JSONMembers(parsing: bytes) else { return false }
    var fields = Fields(file)
    do throws(Damage) {
      _ = try account(from: &fields)
      return false
    } catch {
      return error.isNewer
    }
  }

  private static func account(from file: inout Fields) throws(Damage) -> Account {
    let version = try file.string("version", number: true)
    guard version == "1" else { throw Damage(isNewer: version != nil) }
    let service = try file.optional("service", Origin.init)
    let kind: Account.Kind = try file.choice("kind")
    var account = Account(
      id: try file.required("id", AccountID.init),
      name: try file.required("name", AccountName.init),
      formerNames: file.formerNames(),
      kind: kind,
      tokenType: try file.choice("tokenType"),
      identity: Identity(
        subject: try file.string("subject"),
        issuer: try file.optional("issuer", Issuer.init),
        clientID: try file.string("clientId")
      ),
      source: try file.source(of: kind, at: service),
      handle: try file.optional("handle", Handle.init),
      did: try file.optional("did", DID.init),
      displayName: try file.string("displayName"),
      issuerSource: try file.string("issuerSource").flatMap(IssuerSource.init),
      service: service,
      origins: try file.places(of: file.origins(beside: service)),
      scope: try file.string("scope"),
      resources: try file.resources(),
      client: try file.client(),
      signIn: try file.signIn(),
      ownGrant: try file.ownGrant(),
      thumbprint: try file.string("thumbprint"),
      keyStorage: try file.keyStorage(),
      tokenLifetime: TokenLifetime(
        expiresAt: try file.optional("expiresAt", Timestamp.init),
        lifetime: try file.string("lifetime", number: true).flatMap { Int64($0) },
        canRenew: file.isTrue("canRenew")
      ),
      sessionEndsAt: try file.optional("sessionEndsAt", Timestamp.init),
      limitations: try file.limitations(),
      sentAs: try file.sentAs(of: kind),
      keptFor: try file.keptFor(),
      recordedState: try file.recordedState(),
      keptIn: try file.string("keptIn"),
      renewalStartedAt: try file.optional("renewalStartedAt", Timestamp.init),
      incoming: try file.incoming(),
      validatedAt: try file.optional("validatedAt", Timestamp.init),
      createdAt: try file.required("createdAt", Timestamp.init),
      marks: Account.Marks(rawValue: file.number("marks") ?? 0),
      history: AccountHistory(file.incidental("history") ?? "")
    )
    if account.source == .issuer { account.subjectStatements = try file.subjectStatements() }
    return account
  }
}

extension ClientCertificate {
  /// The form in an account's file.
  var json: JSON {
    var object: JSONObject = ["thumbprint": .string(thumbprint), "endsAt": .string(endsAt.description)]
    if isBound { object["bound"] = true }
    if isKeyInToken { object["keyStorage"] = .string(KeyStorage.pkcs11.rawValue) }
    if let files { object["files"] = .array([.string(files.certificate), .string(files.key)]) }
    return .object(object)
  }

  /// Parses the output of ``json``; an unknown member is damage, too.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue, let thumbprint = object["thumbprint"]?.stringValue,
      let time = object["endsAt"]?.stringValue, let endsAt = try? Timestamp(time),
      object.names.allSatisfy({ ["thumbprint", "endsAt", "bound", "keyStorage", "files"].contains($0) })
    else { throw AccountFile.Damage() }
    let storage = object["keyStorage"]
    guard storage == nil || storage?.stringValue == KeyStorage.pkcs11.rawValue else { throw AccountFile.Damage() }
    self.init(
      thumbprint: thumbprint,
      endsAt: endsAt,
      isBound: object["bound"]?.boolValue ?? false,
      files: try object["files"].map(Files.init),
      isKeyInToken: storage != nil
    )
  }
}

extension ClientCertificate.Files {
  fileprivate init(_ json: JSON) throws(AccountFile.Damage) {
    guard let paths = json.arrayValue?.compactMap(\.stringValue), paths.count == 2, paths.allSatisfy(\.isAbsolutePath)
    else { throw AccountFile.Damage() }
    self.init(certificate: paths[0], key: paths[1])
  }
}

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
      default: throw AccountFile.Damage(isNewer: true)
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
    guard let word = json.stringValue else { throw AccountFile.Damage() }
    guard let value = Value(rawValue: word) else { throw AccountFile.Damage(isNewer: true) }
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

extension TokenInputs {
  /// The form in an account's file; `nil` for none.
  var json: JSON? {
    guard !isEmpty else { return nil }
    var object = JSONObject()
    object["clientAssertion"] = clientAssertion.map(JSON.string)
    switch grantToken {
    case .file(let path): object["file"] = .string(path)
    case .program(let line): object["program"] = .array(line.words.map(JSON.string))
    case .account(let id): object["account"] = .string(id.description)
    case nil: break
    }
    object["subjectType"] = (subjectType?.text).map(JSON.string)
    object["requestedType"] = (requestedType?.text).map(JSON.string)
    if !audiences.isEmpty { object["audiences"] = .array(audiences.map(JSON.string)) }
    return .object(object)
  }

  /// Parses inputs; an unknown member is damage, as in the settings around them.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    self.init()
    for (name, value) in object {
      switch name {
      case "clientAssertion": clientAssertion = try Self.path(value)
      case "file": grantToken = .file(try Self.path(value))
      case "program": grantToken = .program(try Self.parsed(try Self.texts(value), ProgramLine.init))
      case "account": grantToken = .account(try Self.parsed(try Self.text(value), AccountID.init))
      case "subjectType": subjectType = try Self.parsed(try Self.text(value), TokenTypeURI.init)
      case "requestedType": requestedType = try Self.parsed(try Self.text(value), TokenTypeURI.init)
      case "audiences": audiences = try Self.texts(value)
      default: throw AccountFile.Damage(isNewer: true)
      }
    }
    let places = ["file", "program", "account"].filter { object[$0] != nil }
    guard places.count <= 1 else { throw AccountFile.Damage() }
  }

  private static func parsed<Text, Value>(
    _ text: Text,
    _ parse: (Text) throws(ParseError) -> Value
  ) throws(AccountFile.Damage) -> Value {
    do { return try parse(text) } catch { throw AccountFile.Damage() }
  }

  private static func text(_ json: JSON) throws(AccountFile.Damage) -> String {
    guard let text = json.stringValue else { throw AccountFile.Damage() }
    return text
  }

  private static func texts(_ json: JSON) throws(AccountFile.Damage) -> [String] {
    guard let list = json.arrayValue else { throw AccountFile.Damage() }
    var texts: [String] = []
    for element in list { texts.append(try text(element)) }
    return texts
  }

  /// An absolute path.
  private static func path(_ json: JSON) throws(AccountFile.Damage) -> String {
    let path = try text(json)
    guard path.isAbsolutePath else { throw AccountFile.Damage() }
    return path
  }
}

extension String {
  /// `true` for a path from the root of the file system.
  var isAbsolutePath: Bool { hasPrefix("/") && !utf8.contains(0) }
}

extension SignInSettings {
  /// The form in an account's file.
  var json: JSON {
    var object = JSONObject()
    object["scope"] = scope.map(JSON.string)
    if usesDevice { object["device"] = true }
    object["redirect"] = (redirect?.registered).map(JSON.string)
    object["redirectPort"] = redirectPort.map { .number(JSONNumber(Int64($0))) }
    object["backend"] = backend.map(JSON.string)
    object["identifier"] = identifier.map(JSON.string)
    object["callback"] = callback.map(JSON.string)
    if !endpoints.isEmpty { object["endpoints"] = ClientSettings.json(of: endpoints) }
    if !parameters.isEmpty { object["parameters"] = ClientSettings.json(of: parameters) }
    if sendsIDToken { object["send"] = "id-token" }
    object["tokenEndpoint"] = tokenEndpoint.map(JSON.string)
    return .object(object)
  }

  /// Parses settings; a member of a later version is left out, since the next sign-in can be told everything again.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    self.init(
      scope: object["scope"]?.stringValue,
      usesDevice: object["device"]?.boolValue ?? false,
      redirect: object["redirect"]?.stringValue.flatMap { try? LoopbackRedirect($0) },
      redirectPort: object["redirectPort"]?.numberValue?.integer.flatMap { UInt16(exactly: $0) }.map(Int.init),
      backend: object["backend"]?.stringValue,
      identifier: object["identifier"]?.stringValue,
      callback: object["callback"]?.stringValue,
      endpoints: try object["endpoints"].map(ClientSettings.endpoints) ?? [:],
      parameters: try object["parameters"].map { value throws(AccountFile.Damage) in
        try ClientSettings.parameters(value)
      } ?? []
    )
    sendsIDToken = object["send"] == "id-token"
    tokenEndpoint = object["tokenEndpoint"]?.stringValue
  }
}
