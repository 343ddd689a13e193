package import AcctModel
import AcctProtocol
package import StrictJSON

extension AccountFile {
  /// The file is not one that this version of acct wrote; naming the wrong member would not help.
  struct Damage: Error {
    /// `true` for a word in it that a later version may have written.
    var isNewer = false
  }

  /// The members of an account's file.
  struct Fields {
    private let object: JSONMembers
    /// The members are read nearly in the order in which they are written.
    private var next = 0
    /// `true` once the form of a static token was read, and it is a password.
    private var keeper: Account.KeepingProgram?

    init(_ object: JSONMembers) { self.object = object }

    private mutating func value(_ name: String) -> JSON? { object.value(of: name, near: &next) }

    mutating func string(_ name: String, number: Bool = false) throws(Damage) -> String? {
      guard let value = value(name), value != .null else { return nil }
      let text = number ? value.numberValue?.integer.map(String.init) : value.stringValue
      guard let text else { throw Damage() }
      return text
    }

    /// A text that the account does not depend on: one of another form counts as missing.
    mutating func incidental(_ name: String) -> String? { value(name)?.stringValue }

    /// A number that the account does not depend on.
    mutating func number(_ name: String) -> Int64? { value(name)?.numberValue?.integer }

    mutating func optional<Value>(
      _ name: String,
      _ parse: (String) throws(ParseError) -> Value
    ) throws(Damage) -> Value? {
      guard let text = try string(name) else { return nil }
      do { return try parse(text) } catch { throw Damage() }
    }

    mutating func required<Value>(
      _ name: String,
      _ parse: (String) throws(ParseError) -> Value
    ) throws(Damage) -> Value {
      guard let value = try optional(name, parse) else { throw Damage() }
      return value
    }

    mutating func choice<Value: RawRepresentable<String>>(_ name: String) throws(Damage) -> Value {
      guard let word = try string(name) else { throw Damage() }
      guard let value = Value(rawValue: word) else { throw Damage(isNewer: true) }
      return value
    }

    mutating func isTrue(_ name: String) -> Bool { value(name) == .bool(true) }

    /// The source of the credentials.
    ///
    /// Version 0.1.0 did not store it. For sessions and guests it is their service, the backend; for other accounts it
    /// is unknown, so that no backend may claim them.
    mutating func source(of kind: Account.Kind, at service: Origin?) throws(Damage) -> AccountSource? {
      let word = try string("source")
      let backend = try optional("backend", Origin.init)
      switch word {
      case "issuer": return .issuer
      case "user": return .user
      case "backend":
        guard let backend else { throw Damage() }
        return .backend(backend)
      default: return kind == .oauth ? nil : service.map { .backend($0) }
      }
    }

    /// The account's own origins, with the reasons from `originReasons`.
    ///
    /// An origin without a reason (version 0.1.0) counts as the sign-in's, so that the next sign-in replaces it.
    mutating func origins(beside service: Origin?) throws(Damage) -> OwnOrigins {
      guard let list = value("origins")?.arrayValue else { throw Damage() }
      let reasons = value("originReasons")?.objectValue
      // Usually the service is the only one, and has been parsed already.
      if let service, reasons == nil, list == [.string(service.description)] { return OwnOrigins([service]) }
      var origins = OwnOrigins()
      for element in list {
        guard let text = element.stringValue, let origin = try? Origin(text) else { throw Damage() }
        origins.add([origin], for: OwnOrigins.Reasons(reasons?[text]) ?? .signIn)
      }
      return origins
    }

    /// The account's own origins with its places; as they are where it has none, and in files of version 0.2.0.
    mutating func places(of origins: OwnOrigins) throws(Damage) -> OwnOrigins {
      guard let value = value("places"), value != .null else { return origins }
      guard let places = origins.with(places: value) else { throw Damage() }
      return places
    }

    /// The resources that its tokens are for; missing in files of version 0.1.0.
    mutating func resources() throws(Damage) -> [ResourceIndicator] {
      guard let value = value("resources"), value != .null else { return [] }
      guard let list = value.arrayValue else { throw Damage() }
      var resources: [ResourceIndicator] = []
      for element in list {
        guard let text = element.stringValue, let resource = try? ResourceIndicator(text) else { throw Damage() }
        resources.append(resource)
      }
      return resources
    }

    /// The client's settings; missing in files of version 0.1.0, and where they are the standard ones.
    mutating func client() throws(Damage) -> ClientSettings {
      guard let value = value("client"), value != .null else { return .standard }
      return try ClientSettings(value)
    }

    /// The settings of its sign-in; missing in files of version 0.2.0, and where there was none.
    mutating func signIn() throws(Damage) -> SignInSettings? {
      guard let value = value("signIn"), value != .null else { return nil }
      return try SignInSettings(value)
    }

    /// The grant of its own tokens; present only once it has had second tokens.
    mutating func ownGrant() throws(Damage) -> OwnGrant? {
      guard let value = value("ownGrant"), value != .null else { return nil }
      return try OwnGrant(value)
    }

    /// The names that its server has stated for its user; present only where acct itself signed in.
    mutating func subjectStatements() throws(Damage) -> SubjectStatements {
      guard let value = value("subjectStatements"), value != .null else { return SubjectStatements() }
      return try SubjectStatements(value)
    }

    /// The storage of its key; missing where that is the keyring.
    mutating func keyStorage() throws(Damage) -> KeyStorage {
      guard let word = try string("keyStorage") else { return .software }
      guard let storage = KeyStorage(rawValue: word) else { throw Damage(isNewer: true) }
      return storage
    }

    mutating func limitations() throws(Damage) -> GuestLimitations? {
      guard let value = value("limitations"), value != .null else { return nil }
      guard let members = value.objectValue else { throw Damage() }
      return GuestLimitations(members)
    }

    /// The form in which a static token is sent; only its account has this member.
    mutating func sentAs(of kind: Account.Kind) throws(Damage) -> StaticHeader? {
      guard kind == .static else { return nil }
      guard let header = value("sentAs").flatMap(StaticHeader.init(json:)) else { throw Damage() }
      switch header.form {
      case .basic, .userIsToken: keeper = .docker
      case .scheme: keeper = .terraform
      case .bare, .query: keeper = nil
      }
      return header
    }

    /// The program whose login stored the token; only what it stores has this member.
    mutating func keptFor() throws(Damage) -> Account.KeepingProgram? {
      guard let keeper, let word = try string("keptFor") else { return nil }
      return word == keeper.rawValue ? keeper : nil
    }

    /// The former names; one that can't be read costs a hint, and no account.
    mutating func formerNames() -> [AccountName] {
      (value("formerNames")?.arrayValue ?? []).compactMap { name in name.stringValue.flatMap { try? AccountName($0) } }
    }

    mutating func incoming() throws(Damage) -> Account.Incoming? {
      guard let value = value("incoming"), value != .null else { return nil }
      guard let members = value.objectValue, let place = members["place"]?.stringValue.flatMap({ try? AccountID($0) }),
        let isWhole = members["isWhole"]?.boolValue
      else { throw Damage() }
      return Account.Incoming(place: place, isWhole: isWhole)
    }

    /// The rejection of its token; present only where there was one.
    private mutating func rejection() throws(Damage) -> Rejection? {
      guard let value = value("rejected"), value != .null else { return nil }
      guard let members = value.objectValue, let origin = members["by"]?.stringValue,
        let time = members["at"]?.stringValue
      else { throw Damage() }
      let path = members["path"]?.stringValue
      do { return Rejection(by: try Origin(origin), path: path, at: try Timestamp(time)) } catch { throw Damage() }
    }

    /// The refusal that may have been the session's end; present only where the cause of the last one is not known.
    private mutating func doubt() throws(Damage) -> Doubt? {
      guard let value = value("refused"), value != .null else { return nil }
      guard let status = value.objectValue?["status"]?.numberValue?.integer.flatMap(Int.init(exactly:)),
        let time = value.objectValue?["at"]?.stringValue
      else { throw Damage() }
      let code = value.objectValue?["code"]?.stringValue
      do { return Doubt(status: status, code: code, at: try Timestamp(time)) } catch { throw Damage() }
    }

    mutating func recordedState() throws(Damage) -> RecordedState {
      let reason = try string("reason") ?? ""
      return switch try string("standing") {
      case "signedIn":
        reason.isEmpty
          ? try rejection().map { .doubted($0) } ?? .signedIn : .renewalRefused(reason: reason, doubt: try doubt())
      case "expired": .expired(reason: reason)
      case "reauthRequired":
        try rejection().map { .rejected($0) } ?? .reauthRequired(reason: reason, tokenStands: isTrue("tokenStands"))
      case "signedOut": .signedOut(reason: reason)
      case nil: throw Damage()
      case _?: throw Damage(isNewer: true)
      }
    }
  }
}

extension AccountSource {
  /// The form in an account's file.
  var word: String {
    switch self {
    case .issuer: "issuer"
    case .backend: "backend"
    case .user: "user"
    }
  }

  package var backend: Origin? { if case .backend(let origin) = self { origin } else { nil } }
}

extension OwnOrigins {
  /// The reasons for each origin that has others than the sign-in alone; `null` without one.
  var reasonsJSON: JSON {
    var object = JSONObject()
    for origin in self where reasons(for: origin) != .signIn {
      object[origin.description] = .array(reasons(for: origin).words.map { .string($0) })
    }
    return object.names.isEmpty ? .null : .object(object)
  }
}

extension OwnOrigins {
  /// The places as they are stored, and shown.
  package var placesJSON: JSON { .array(places.map { .string($0.description) }) }

  /// Restores the places of the origins that are there; `nil` if one is malformed, or elsewhere.
  func with(places: JSON) -> OwnOrigins? {
    guard let list = places.arrayValue else { return nil }
    var origins = OwnOrigins()
    for element in list {
      guard let text = element.stringValue, let place = try? Place(text), contains(place.origin) else { return nil }
      origins.add([place], for: reasons(for: place.origin))
    }
    origins.keepAll(of: OwnOrigins(filter { !origins.contains($0) }))
    return origins
  }
}

extension OwnOrigins.Reasons {
  private static let names: [(reason: Self, word: String)] = [
    (.signIn, "signIn"), (.resource, "resource"), (.user, "user"),
  ]

  fileprivate var words: [String] { Self.names.filter { contains($0.reason) }.map(\.word) }

  /// Parses reasons; `nil` if no word names one.
  init?(_ json: JSON?) {
    let words = json?.arrayValue?.compactMap(\.stringValue) ?? []
    self = Self(Self.names.filter { words.contains($0.word) }.map(\.reason))
    if isEmpty { return nil }
  }
}

extension OwnGrant {
  /// The form in an account's file.
  var json: JSON { ["scope": .init(scope), "audiences": .array(audiences.map { .string($0) })] }

  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue, let list = object["audiences"]?.arrayValue else { throw AccountFile.Damage() }
    var audiences: [String] = []
    for element in list {
      guard let text = element.stringValue else { throw AccountFile.Damage() }
      audiences.append(text)
    }
    let scope = object["scope"] ?? .null
    guard scope == .null || scope.stringValue != nil else { throw AccountFile.Damage() }
    self.init(scope: scope.stringValue, audiences: audiences)
  }
}

extension SubjectStatements {
  /// The form in an account's file; `nil` if there are none.
  var json: JSON? {
    guard self != SubjectStatements() else { return nil }
    return ["idToken": .init(idToken), "userinfo": .init(userinfo)]
  }

  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    func text(_ name: String) throws(AccountFile.Damage) -> String? {
      guard let value = object[name], value != .null else { return nil }
      guard let text = value.stringValue else { throw AccountFile.Damage() }
      return text
    }
    self.init(idToken: try text("idToken"), userinfo: try text("userinfo"))
  }
}

extension GuestLimitations {
  /// Reads limitations; unreadable ones are left out, since nothing depends on them.
  package init(_ object: JSONObject) {
    let names = (object["featuresDisabled"]?.arrayValue ?? []).compactMap(\.stringValue)
    self.init(
      maxEditsPerDay: object["maxEditsPerDay"]?.numberValue?.integer.flatMap { $0 < 0 ? nil : $0 },
      featuresDisabled: Array(names.filter { $0.utf8.count <= 128 }.prefix(64))
    )
  }

  /// The backend's object, both in files and in the contract for scripts.
  package var json: JSON {
    ["maxEditsPerDay": .init(maxEditsPerDay), "featuresDisabled": .array(featuresDisabled.map { .string($0) })]
  }
}

extension StaticHeader {
  /// The form in an account's file, and in output for scripts.
  package var json: JSON {
    let (scheme, user): (JSON, JSON) =
      switch form {
      case .bare, .query: (.null, .null)
      case .scheme(let scheme): (.string(scheme), .null)
      case .basic(let user): ("Basic", .string(user))
      // To an acct that does not know the form it is the password of an empty user, which most such servers take, too.
      case .userIsToken: ("Basic", "")
      }
    if form == .query { return ["header": .null, "scheme": scheme, "user": user, "query": .string(field)] }
    guard case .userIsToken(let password) = form else {
      return ["header": .string(field), "scheme": scheme, "user": user]
    }
    return [
      "header": .string(field), "scheme": scheme, "user": user, "secretIs": "user", "password": JSON(password),
    ]
  }

  /// Parses the output of ``json``; `nil` for anything else.
  package init?(json: JSON) {
    guard let members = json.objectValue, let scheme = members["scheme"], let user = members["user"] else { return nil }
    let parameter = members["query"]?.stringValue
    guard let field = parameter ?? members["header"]?.stringValue else { return nil }
    let form: Form
    switch (scheme, user) {
    case (.null, .null): form = parameter == nil ? .bare : .query
    case (.string("Basic"), _) where members["secretIs"] == "user":
      form = .userIsToken(password: members["password"]?.stringValue)
    case (.string(let scheme), .null): form = .scheme(scheme)
    case (.string("Basic"), .string(let user)): form = .basic(user: user)
    default: return nil
    }
    guard let header = try? StaticHeader(field: field, form: form) else { return nil }
    self = header
  }
}
