import AcctModel
import AcctProtocol
import StrictJSON

extension AccountFile {
  /// The file is not one that acct wrote; naming the wrong member would not help.
  struct Damage: Error {}

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
      guard let value = try string(name).flatMap(Value.init) else { throw Damage() }
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
      if let service, reasons == nil, list == [.string(service.description)] { return [service] }
      var origins: OwnOrigins = []
      for element in list {
        guard let text = element.stringValue, let origin = try? Origin(text) else { throw Damage() }
        origins.add([origin], for: OwnOrigins.Reasons(reasons?[text]) ?? .signIn)
      }
      return origins
    }

    /// The account's own origins with its places; `nil` where it has none, and in files of version 0.2.0.
    mutating func places(of origins: OwnOrigins) throws(Damage) -> OwnOrigins? {
      guard let value = value("places"), value != .null else { return nil }
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
      guard let storage = KeyStorage(rawValue: word) else { throw Damage() }
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
      case .bare: keeper = nil
      }
      return header
    }

    /// The program whose login stored the token; only what it stores has this member.
    mutating func keptFor() throws(Damage) -> Account.KeepingProgram? {
      guard let keeper, let word = try string("keptFor") else { return nil }
      return word == keeper.rawValue ? keeper : nil
    }

    mutating func incoming() throws(Damage) -> Account.Incoming? {
      guard let value = value("incoming"), value != .null else { return nil }
      guard let members = value.objectValue, let place = members["place"]?.stringValue.flatMap({ try? AccountID($0) }),
        let isWhole = members["isWhole"]?.boolValue
      else { throw Damage() }
      return Account.Incoming(place: place, isWhole: isWhole)
    }

    /// The rejection of its token; present only where that is the reason.
    private mutating func rejection() throws(Damage) -> RecordedState? {
      guard let value = value("rejected"), value != .null else { return nil }
      guard let origin = value.objectValue?["by"]?.stringValue, let time = value.objectValue?["at"]?.stringValue
      else { throw Damage() }
      do { return .rejected(Rejection(by: try Origin(origin), at: try Timestamp(time))) } catch { throw Damage() }
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
      case "signedIn": reason.isEmpty ? .signedIn : .renewalRefused(reason: reason, doubt: try doubt())
      case "expired": .expired(reason: reason)
      case "reauthRequired": try rejection() ?? .reauthRequired(reason: reason, tokenStands: isTrue("tokenStands"))
      case "signedOut": .signedOut(reason: reason)
      default: throw Damage()
      }
    }
  }
}
