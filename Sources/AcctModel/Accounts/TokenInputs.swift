import Text

/// The tokens of other issuers that an account's requests for tokens start from, each read anew for each request.
///
/// They stand in the account's file by their places, never by their contents.
package struct TokenInputs: Equatable, Sendable {
  /// The absolute path of the JWT by which the client authenticates itself (RFC 7523, section 2.2).
  package var clientAssertion: String?
  /// The place of the grant's own token: an assertion (RFC 7523, section 2.1), or a subject token (RFC 8693, section 2.1).
  package var grantToken: TokenPlace?
  /// The type of a subject token.
  package var subjectType: TokenTypeURI?
  /// The type of the token that an exchange asks for; the server's choice if `nil`.
  package var requestedType: TokenTypeURI?
  /// The services that an exchange asks for by their names at its server.
  package var audiences: [String]

  package init(
    clientAssertion: String? = nil,
    grantToken: TokenPlace? = nil,
    subjectType: TokenTypeURI? = nil,
    requestedType: TokenTypeURI? = nil,
    audiences: [String] = []
  ) {
    self.clientAssertion = clientAssertion
    self.grantToken = grantToken
    self.subjectType = subjectType
    self.requestedType = requestedType
    self.audiences = audiences
  }

  /// The greatest number of bytes of a token that a file or a program provides.
  package static let limit = 65_536

  /// `true` if there are no inputs.
  package var isEmpty: Bool { self == TokenInputs() }
}

/// A place that has a token whenever one is needed.
package enum TokenPlace: Equatable, Sendable {
  /// A file that the platform writes anew in time, by its absolute path.
  case file(String)
  /// A program that prints one, and its arguments.
  case program(ProgramLine)
  /// Another account.
  case account(AccountID)
}

/// The type of a token (RFC 8693, section 3).
package struct TokenTypeURI: Hashable, Sendable {
  package let text: String

  /// Parses a word for one of the RFC's own types, or another type's URI.
  ///
  /// - Throws: ``ParseError/tokenType``.
  package init(_ text: String) throws(ParseError) {
    switch text {
    case "id": self = .idToken
    case "access": self = .accessToken
    case "jwt": self = .jwt
    default:
      let scheme = text.prefix { $0 != ":" }
      guard text.utf8.count <= 512, scheme.utf8.count < text.utf8.count - 1, scheme.first?.isLetter == true,
        text.utf8.allSatisfy(\.isVisibleASCII)
      else { throw .tokenType }
      self.text = text
    }
  }

  private init(own name: String) { text = "urn:ietf:params:oauth:token-type:" + name }

  package static let accessToken = TokenTypeURI(own: "access_token")
  package static let idToken = TokenTypeURI(own: "id_token")
  package static let jwt = TokenTypeURI(own: "jwt")
  package static let refreshToken = TokenTypeURI(own: "refresh_token")
  package static let saml1 = TokenTypeURI(own: "saml1")
  package static let saml2 = TokenTypeURI(own: "saml2")

  /// `true` for a type whose tokens are JWTs.
  package var isJWT: Bool { self == .jwt || self == .idToken }

  /// `true` if an issued token of this type could be a bearer token of a resource server: an ID token is for its client
  /// alone, and an assertion or a refresh token for an authorization server.
  package var mayBeBearer: Bool { ![.idToken, .refreshToken, .saml1, .saml2].contains(self) }
}

/// A program and its arguments, to be run without a shell.
package struct ProgramLine: Equatable, Sendable {
  /// The program's name on `PATH`, or its path, and its arguments.
  package let words: [String]

  /// The most bytes of a line.
  package static let limit = 4096

  /// Splits a line as a shell does, and expands nothing.
  ///
  /// Blanks and line ends separate words. Single quotes keep everything; double quotes keep all but a backslash before
  /// `"`, `\`, `$` or a backquote; a backslash outside of quotes keeps the next character.
  ///
  /// - Throws: ``ParseError/programLine``.
  package init(_ line: String) throws(ParseError) {
    guard line.utf8.count <= Self.limit, !line.utf8.contains(0) else { throw .programLine }
    var words: [String] = []
    var word: String?
    var rest = line.unicodeScalars[...]
    func add(_ character: Unicode.Scalar) {
      var grown = word ?? ""
      grown.unicodeScalars.append(character)
      word = grown
    }
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r":
        if let ended = word.take() { words.append(ended) }
      case "'", "\"":
        word = word ?? ""
        var isClosed = false
        while let inner = rest.popFirst() {
          if inner == character {
            isClosed = true
            break
          }
          if inner == "\\", character == "\"", let next = rest.first, ["\"", "\\", "$", "`"].contains(next) {
            add(rest.removeFirst())
          } else {
            add(inner)
          }
        }
        guard isClosed else { throw .programLine }
      case "\\":
        guard let next = rest.popFirst() else { throw .programLine }
        add(next)
      default: add(character)
      }
    }
    if let ended = word { words.append(ended) }
    try self.init(words)
  }

  /// Checks words that are split already.
  ///
  /// - Throws: ``ParseError/programLine``.
  package init(_ words: [String]) throws(ParseError) {
    let bytes = words.reduce(0) { $0 + $1.utf8.count + 1 }
    guard words.first?.isEmpty == false, bytes <= Self.limit + 1, !words.contains(where: { $0.utf8.contains(0) })
    else { throw .programLine }
    self.words = words
  }

  /// The program.
  package var program: String { words[0] }
  /// The arguments behind the program's name.
  package var arguments: [String] { Array(words.dropFirst()) }
}
