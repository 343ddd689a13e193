package import AcctModel
package import StrictJSON

/// The description of a sign-in that needs no person, as a job brings it: options of `acct add` in camelCase.
///
/// It holds no secret, and what it holds has been checked; paths are as the document has them.
package struct SignInDescription: Equatable, Sendable {
  package private(set) var issuer: Issuer?
  /// The name of a server that a file describes.
  package private(set) var provider: ProviderName?
  package private(set) var clientID = ""
  package private(set) var grant = Grant.tokenExchange
  package private(set) var clientAssertionFile: String?
  /// The place of the grant's own token.
  package private(set) var grantFile: String?
  package private(set) var grantProgram: ProgramLine?
  package private(set) var subjectType: TokenTypeURI?
  package private(set) var requestedType: TokenTypeURI?
  package private(set) var audiences: [String] = []
  package private(set) var resources: [ResourceIndicator] = []
  package private(set) var scope: String?
  package private(set) var origins: [Origin] = []

  /// Returns `true` if a document is one, and not credentials.
  package static func isLikely(_ json: JSON) -> Bool { json.objectValue?["grant"] ?? .null != .null }

  /// Reads a document.
  ///
  /// - Throws: ``HandoffError``, which names a member and never its value.
  package init(_ json: JSON) throws(HandoffError) {
    guard let members = json.objectValue else { throw .notAnObject }
    // As in credentials, null is no value.
    func has(_ name: String) -> Bool { members[name] ?? .null != .null }
    for (name, value) in members where value != .null { try take(name, value) }
    guard (issuer == nil) != (provider == nil) else { throw .missing(member: "issuer") }
    let isExchange = grant == .tokenExchange
    for name in ["subjectTokenFile", "subjectTokenCommand", "subjectType", "requestedType", "audience"]
    where !isExchange && has(name) { throw .member(name, .misplaced) }
    guard grant == .jwtBearer || !has("assertionFile") else { throw .member("assertionFile", .misplaced) }
    guard grantFile == nil || grantProgram == nil else { throw .member("subjectTokenCommand", .doubled) }
    switch grant {
    case .tokenExchange:
      guard grantFile != nil || grantProgram != nil else { throw .missing(member: "subjectTokenFile") }
      subjectType = subjectType ?? .jwt
    case .jwtBearer: guard grantFile != nil else { throw .missing(member: "assertionFile") }
    case .clientCredentials: guard clientAssertionFile != nil else { throw .missing(member: "clientAssertionFile") }
    case .authorizationCode: throw .member("grant", .malformed)
    }
  }

  private mutating func take(_ name: String, _ value: JSON) throws(HandoffError) {
    switch name {
    case "issuer": issuer = try Self.parsed(name, value, Issuer.init)
    case "provider":
      guard let provider = ProviderName(try Self.text(name, value)) else { throw .member(name, .malformed) }
      self.provider = provider
    case "clientID": clientID = try Self.text(name, value)
    case "grant":
      switch try Self.text(name, value) {
      case "token-exchange": grant = .tokenExchange
      case "jwt-bearer": grant = .jwtBearer
      case "client-credentials": grant = .clientCredentials
      default: throw .member(name, .malformed)
      }
    case "subjectTokenFile", "assertionFile": grantFile = try Self.path(name, value)
    case "subjectTokenCommand": grantProgram = try Self.parsed(name, value, ProgramLine.init)
    case "clientAssertionFile": clientAssertionFile = try Self.path(name, value)
    case "subjectType": subjectType = try Self.parsed(name, value, TokenTypeURI.init)
    case "requestedType": requestedType = try Self.parsed(name, value, TokenTypeURI.init)
    case "audience": audiences = try Self.texts(name, value)
    case "resource":
      for text in try Self.texts(name, value) {
        resources.append(try Self.parsed(name, .string(text), ResourceIndicator.init))
      }
    case "scope": scope = try Self.text(name, value)
    case "origins":
      for text in try Self.texts(name, value) { origins.append(try Self.parsed(name, .string(text), Origin.init)) }
    default: throw .member(name, .unknown)
    }
  }

  private static func text(_ name: String, _ value: JSON) throws(HandoffError) -> String {
    guard let text = value.stringValue else { throw .member(name, .notAString) }
    guard !text.isEmpty else { throw .member(name, .malformed) }
    return text
  }

  /// One text, or several.
  private static func texts(_ name: String, _ value: JSON) throws(HandoffError) -> [String] {
    guard let list = value.arrayValue else { return [try text(name, value)] }
    var texts: [String] = []
    for element in list { texts.append(try text(name, element)) }
    return texts
  }

  private static func path(_ name: String, _ value: JSON) throws(HandoffError) -> String {
    let path = try text(name, value)
    guard !path.utf8.contains(0) else { throw .member(name, .malformed) }
    return path
  }

  private static func parsed<Value>(
    _ name: String,
    _ value: JSON,
    _ parse: (String) throws(ParseError) -> Value
  ) throws(HandoffError) -> Value {
    let text = try text(name, value)
    do { return try parse(text) } catch .refusedURL(let refusal) {
      throw .refused(member: name, refusal)
    } catch {
      throw .member(name, .malformed)
    }
  }
}
