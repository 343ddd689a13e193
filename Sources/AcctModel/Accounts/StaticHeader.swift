import Text

/// The form in which a static token is sent: the field that contains it, and the text around it; or a parameter of the query.
package struct StaticHeader: Equatable, Sendable {
  /// The text around the token.
  package enum Form: Equatable, Sendable {
    /// A scheme and a space before it, such as `Bearer` (RFC 9110, section 11.4); or a scheme and the name of its one
    /// parameter, such as `Token token=`.
    case scheme(String)
    /// No text around it.
    case bare
    /// It is the password of a user in the scheme `Basic` (RFC 7617).
    case basic(user: String)
    /// It is the user in the scheme `Basic`, beside this password; `nil`: it is both, with a colon between them.
    case userIsToken(password: String?)
    /// It is the value of a parameter of the URL's query, and in no field.
    case query
  }

  /// The name of the field, or of the parameter, as it is sent.
  package let field: String
  package let form: Form

  /// `Authorization: Bearer TOKEN`.
  package static let bearer = StaticHeader(unchecked: "Authorization", .scheme("Bearer"))

  /// `Authorization: Basic`, with a password and an empty user.
  package static let emptyUser = StaticHeader(unchecked: "Authorization", .basic(user: ""))

  /// The text before a token in the form ``Form/scheme(_:)``.
  package static func beginning(_ scheme: String) -> String {
    scheme.utf8.last == UInt8(ascii: "=") ? scheme : "\(scheme) "
  }

  /// `true` for the scheme `Basic`, which sends any text in base64.
  package var isBasic: Bool {
    switch form {
    case .basic, .userIsToken: true
    case .bare, .scheme, .query: false
    }
  }

  private init(unchecked field: String, _ form: Form) {
    self.field = field
    self.form = form
  }

  /// Checks that a token can be sent in this form.
  ///
  /// - Parameters:
  ///   - field: A field name (RFC 9110, section 5.1) that has no other meaning in a request.
  ///   - form: A scheme is a token of RFC 9110. A user has neither a colon nor control characters, may be
  ///     empty, and belongs to `Authorization`.
  /// - Throws: ``StaticHeaderFlaw``.
  package init(field: String, form: Form) throws(StaticHeaderFlaw) {
    let name = field.lowercased()
    guard form != .query else {
      // Characters that mean themselves, wherever the name is written.
      guard field.utf8.allSatisfy(\.isUnreserved), (1...64).contains(field.utf8.count) else { throw .parameter(field) }
      self.init(unchecked: field, form)
      return
    }
    guard field.isHTTPToken, field.utf8.count <= 64 else { throw .field(field) }
    guard !Self.reserved.contains(name), !name.hasPrefix("sec-"), !name.hasPrefix("proxy-") else {
      throw .reservedField(field)
    }
    switch form {
    case .bare, .query: break
    case .scheme(let scheme):
      guard scheme.isHTTPToken || Self.namesParameter(scheme), scheme.utf8.count <= 64 else { throw .scheme(scheme) }
      guard scheme.lowercased().prefix(while: { $0 != " " }) != "dpop" else { throw .needsKey }
    case .basic(let user):
      guard name == "authorization" else { throw .basicElsewhere }
      guard user.utf8.count <= 255, user.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") })
      else { throw .user }
    case .userIsToken: guard name == "authorization" else { throw .basicElsewhere }
    }
    self.init(unchecked: field, form)
  }

  /// Returns `true` for a scheme and the name of a parameter, with a space between them and `=` behind.
  private static func namesParameter(_ text: String) -> Bool {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return words.count == 2 && words[0].isHTTPToken && words[1].last == "=" && words[1].dropLast().isHTTPToken
  }

  /// Fields that frame a message, belong to one connection, describe a body or what is wanted, or have
  /// an owner of their own: a cookie is a session's, a proof a key's.
  private static let reserved: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection", "content-encoding",
    "content-language", "content-length", "content-location", "content-range", "content-type", "cookie", "cookie2",
    "date", "dpop", "expect", "forwarded", "from", "host", "http2-settings", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "location", "max-forwards", "origin", "pragma",
    "range", "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via",
    "www-authenticate",
  ]
}

/// Why a token can't be sent in a field, or in a form.
package enum StaticHeaderFlaw: Error, Equatable, Sendable {
  /// Not a field name.
  case field(String)
  /// The field has another meaning.
  case reservedField(String)
  /// Not the name of a parameter.
  case parameter(String)
  /// Not a scheme.
  case scheme(String)
  /// The scheme `DPoP` needs a key.
  case needsKey
  /// The user has a colon or a control character, or is too long.
  case user
  /// The scheme `Basic` with a user, and a field other than `Authorization`.
  case basicElsewhere
}

/// The arguments of a command that stores a new token for a static account.
package struct TokenReplacement: Equatable, Sendable {
  package let account: AccountName
  package let sentAs: StaticHeader
  /// The origins that the token is sent to; those that the user has allowed besides are kept anyway.
  package let origins: [Origin]
}

/// Why a static token is not used.
package enum StaticTokenEnd: Equatable, Sendable {
  /// Its end has passed.
  case expired
  /// Less time is left than requested, in these words.
  case ending(reason: String)
  /// It is not in the keyring, in these words.
  case missing(reason: String)
}

extension Account {
  /// The arguments for storing a new token; `nil` for any account but a static one.
  package var replacement: TokenReplacement? {
    guard kind == .static, let sentAs else { return nil }
    let own = origins.filter { origins.reasons(for: $0).contains(.signIn) }
    return TokenReplacement(
      account: name,
      sentAs: sentAs,
      // Without its file the account was rebuilt: then only the origins that were allowed since are known.
      origins: own.isEmpty ? Array(origins) : own
    )
  }
}
