package import Secrets

/// The secret that a confidential client and its server share (RFC 6749, section 2.3.1).
package enum ClientSecret {
  /// Why bytes are no client secret; no case holds any of them.
  package enum Flaw: Error, Equatable, Sendable {
    case empty
    /// A control character, such as the end of a line within it.
    case controlCharacter
  }

  /// Takes a secret from a file, without the end of its line.
  package static func read(_ file: Secret) throws(Flaw) -> Secret {
    let secret = file.withBytes { bytes in
      var end = bytes.count
      if end > 0, bytes[end - 1] == 0x0A { end -= 1 }
      if end > 0, end < bytes.count, bytes[end - 1] == 0x0D { end -= 1 }
      return Secret(bytes.extracting(..<end))
    }
    return try check(secret)
  }

  /// Makes sure that a secret can be sent.
  @discardableResult
  package static func check(_ secret: Secret) throws(Flaw) -> Secret {
    guard secret.count > 0 else { throw .empty }
    let isPrintable = secret.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7F } }
    guard isPrintable else { throw .controlCharacter }
    return secret
  }
}
