/// A credential that fits on a header line: one or more characters %x21–7E.
///
/// Anything else could end the line and write header lines of its own.
package struct Token: Equatable, Sendable {
  /// The characters.
  package let secret: Secret

  /// Checks that `secret` can be sent as a token.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ secret: Secret) throws(ParseError) {
    let usable = secret.withBytes { bytes in
      bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
    }
    guard secret.count > 0, usable else { throw .token }
    self.secret = secret
  }

  /// Checks that `text` can be sent as a token.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ text: String) throws(ParseError) { try self.init(Secret(text)) }
}
