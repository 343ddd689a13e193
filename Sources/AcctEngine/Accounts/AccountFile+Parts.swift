package import AcctModel
package import StrictJSON

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
    var origins: OwnOrigins = []
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
      case .bare: (.null, .null)
      case .scheme(let scheme): (.string(scheme), .null)
      case .basic(let user): ("Basic", .string(user))
      // To an acct that does not know the form it is the password of an empty user, which most such servers take, too.
      case .userIsToken: ("Basic", "")
      }
    guard case .userIsToken(let password) = form else {
      return ["header": .string(field), "scheme": scheme, "user": user]
    }
    return [
      "header": .string(field), "scheme": scheme, "user": user, "secretIs": "user", "password": JSON(password),
    ]
  }

  /// Parses the output of ``json``; `nil` for anything else.
  package init?(json: JSON) {
    guard let members = json.objectValue, let field = members["header"]?.stringValue,
      let scheme = members["scheme"], let user = members["user"]
    else { return nil }
    let form: Form
    switch (scheme, user) {
    case (.null, .null): form = .bare
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
