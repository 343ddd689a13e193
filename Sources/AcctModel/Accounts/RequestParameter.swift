/// A parameter that the user adds to the requests of a sign-in, such as `audience`.
///
/// It is none of those that the protocol has a meaning for: acct sends those itself.
package struct RequestParameter: Hashable, Sendable {
  package let name: String
  package let value: String

  /// - Throws: ``ParseError/parameter``, ``ParseError/ownParameter(_:)``.
  package init(name: String, value: String) throws(ParseError) {
    guard !name.isEmpty, name.utf8.count <= 256, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      value.utf8.count <= 8192, value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw .parameter }
    guard !Self.own.contains(name.lowercased()) else { throw .ownParameter(name) }
    self.name = name
    self.value = value
  }

  /// Parses `NAME=VALUE`; the value may have more `=` and may be empty.
  ///
  /// - Throws: ``ParseError/parameter``, ``ParseError/ownParameter(_:)``.
  package init(_ text: String) throws(ParseError) {
    guard let mark = text.firstIndex(of: "=") else { throw .parameter }
    try self.init(name: String(text[..<mark]), value: String(text[mark...].dropFirst()))
  }

  /// The parameters that acct sends itself, or that would change where and how an answer comes.
  ///
  /// Some servers ignore case in names, so they are not used in any.
  package static let own: Set<String> = [
    "assertion", "client_assertion", "client_assertion_type", "client_id", "client_secret", "code", "code_challenge",
    "code_challenge_method", "code_verifier", "device_code", "dpop_jkt", "grant_type", "nonce", "password",
    "redirect_uri", "refresh_token", "request", "request_uri", "resource", "response_mode", "response_type", "scope",
    "state", "token", "token_type_hint",
  ]
}
