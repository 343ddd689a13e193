package import AcctModel
package import Secrets
package import Release

/// A backend's sealed session, `Fe26.2*…`: opaque, and fit to be the value of its cookie.
///
/// Backends seal with iron (<https://github.com/hueniverse/iron>): `*`-separated fields of the
/// backend's making. Nothing behind the first one is looked at, but for what could end the cookie
/// and begin another (RFC 6265, section 4.1.1).
package struct SealedSession: Equatable, Sendable {
  /// The whole of it.
  package let token: Token

  /// Checks the form.
  ///
  /// - Parameter secret: The text to check.
  /// - Throws: ``ParseError/token``.
  package init(_ secret: Secret) throws(ParseError) {
    token = try Token(secret)
    let isSealed = secret.withBytes { bytes in
      let prefix = Array("Fe26.2*".utf8)
      return bytes.count > prefix.count && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
        && bytes.indices.allSatisfy { !"\",;\\".utf8.contains(bytes[$0]) }
        // All that follows being separators, it would be a form without a content.
        && bytes.indices.dropFirst(prefix.count).contains { bytes[$0] != UInt8(ascii: "*") }
    }
    guard isSealed else { throw .token }
  }

  /// Checks the form of text.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ text: String) throws(ParseError) { try self.init(Secret(text)) }
}
