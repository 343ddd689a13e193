package import AcctModel
package import Secrets
import Text

/// A credential that fits on a header line: one or more characters %x21–7E.
///
/// Any other character could end the line and begin header lines of its own. A password of the scheme Basic is sent in
/// base64, so it may be any text without control characters.
///
/// Its characters leave it in two ways: by a ``Permit``, to one server or to the user, and by ``opened(for:)``, for the few
/// places that store it, look into it or put it into a form. `.ci/check-door` has the list of these.
package struct Token: Equatable, Sendable {
  let secret: Secret

  /// Why a token is opened, other than to be sent or handed over.
  ///
  /// No enumeration, whose conformances every start would pay for: see Documentation/design/startup.md.
  package struct Opening: Sendable {
    /// It is stored in the keyring, or in an export that the user has asked for.
    package static var keyring: Opening { Opening() }
    /// Its claims or its hash are read.
    package static var claims: Opening { Opening() }
    /// It is put into the form of a request, which goes to a server by a ``Permit`` of its own.
    package static var form: Opening { Opening() }
    /// It is looked for in text from outside, which must not repeat it.
    package static var redaction: Opening { Opening() }
    /// It is compared with what another program has, or taken over from there.
    package static var comparison: Opening { Opening() }
    /// It is a role's key, which goes to the program that asked for it and nowhere else.
    package static var roleKey: Opening { Opening() }
  }

  /// Checks that `secret` can be sent as a token.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ secret: Secret) throws(ParseError) {
    let usable = secret.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0].isVisibleASCII } }
    guard secret.count > 0, usable else { throw .token }
    self.secret = secret
  }

  /// Checks that `password` can be sent in the scheme Basic (RFC 7617, section 2).
  package init(password: Secret) throws(PasswordFlaw) {
    try password.withBytes { bytes throws(PasswordFlaw) in
      guard bytes.count > 0 else { throw .empty }
      guard (try? UTF8Span(validating: bytes)) != nil else { throw .notText }
      for index in bytes.indices {
        guard bytes[index] != 0x0A && bytes[index] != 0x0D else { throw .severalLines }
        guard bytes[index] >= 0x20 && bytes[index] != 0x7F else { throw .control }
      }
    }
    secret = password
  }

  /// Checks a stored credential by the form that it is sent in.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ secret: Secret, sentAs header: StaticHeader?) throws(ParseError) {
    guard header?.isBasic == true else {
      try self.init(secret)
      return
    }
    do { try self.init(password: secret) } catch { throw .token }
  }

  /// Checks that `text` can be sent as a token.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ text: String) throws(ParseError) { try self.init(Secret(text)) }

  /// The characters, for one of these reasons.
  package func opened(for reason: Opening) -> Secret { secret }
}

/// The reason why a text is not usable as a password of the scheme Basic.
package enum PasswordFlaw: Error, Equatable, Sendable {
  case empty
  case severalLines
  /// A control character other than a line's end.
  case control
  /// Not UTF-8.
  case notText
}
