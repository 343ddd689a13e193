import AcctModel
package import Secrets
package import Release

/// The contents of a file that contains one token and nothing else.
package enum TokenFile {
  /// Reads the token; one line break at the end, which editors and `echo` write, is not part of it.
  ///
  /// - Parameter contents: The whole file.
  /// - Returns: The token, which fits on a header line.
  /// - Throws: ``TokenFileFlaw``.
  package static func token(in contents: Secret) throws(TokenFileFlaw) -> Token {
    let line = line(of: contents)
    do { return try Token(line) } catch { throw flaw(of: line) }
  }

  /// Reads a password of the scheme Basic in the same way.
  package static func password(in contents: Secret) throws(PasswordFlaw) -> Token {
    try Token(password: line(of: contents))
  }

  private static func line(of contents: Secret) -> Secret {
    contents.withBytes { bytes in
      var end = bytes.count
      if end > 0, bytes[end - 1] == UInt8(ascii: "\n") {
        end -= 1
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      }
      return Secret(bytes.extracting(first: end))
    }
  }

  private static func flaw(of line: Secret) -> TokenFileFlaw {
    line.withBytes { bytes in
      guard bytes.count > 0 else { return .empty }
      if bytes.indices.contains(where: { bytes[$0] == 0x0A || bytes[$0] == 0x0D }) { return .severalLines }
      let isSpaced = bytes.indices.contains { bytes[$0] == 0x20 || bytes[$0] == 0x09 }
      return isSpaced ? .space : .character
    }
  }
}

/// Why the contents of a file are no token.
package enum TokenFileFlaw: Error, Equatable, Sendable {
  case empty
  case severalLines
  /// A space or a tab is in it, as after a scheme that was copied with it.
  case space
  /// A control character, or one beyond ASCII.
  case character
}
