import Secrets
import Text

/// The URL that a credential is wanted for, and the user if the URL names one.
package struct Destination: Equatable, Sendable {
  package var url: HTTPURL
  /// The user; `nil` for any.
  package var user: String?

  package init(_ url: HTTPURL, user: String? = nil) {
    self.url = url
    self.user = user
  }

  /// Parses a URL, which may name a user before its host (RFC 3986, section 3.2.1).
  ///
  /// - Throws: ``ParseError/url``, ``ParseError/refusedURL(_:)``, also for a password beside the user.
  package init(_ text: String) throws(ParseError) {
    do {
      self.init(try HTTPURL(text))
      return
    } catch .refusedURL(.userInformation) {
      let parts = text.utf8.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
      // The parser has found `://` behind the first colon.
      guard parts.count == 2, let colon = text.utf8.firstIndex(of: .colon),
        let start = text.utf8.index(colon, offsetBy: 3, limitedBy: parts[0].endIndex)
      else { throw .url }
      let user = text[start..<parts[0].endIndex]
      guard user.utf8.allSatisfy(\.mayStandInUser), let bytes = percentDecoded(user.utf8),
        let decoded = String(validating: bytes, as: UTF8.self), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { throw .refusedURL(.userInformation) }
      // A token in the user's place is no name, and no message is to show it.
      guard !Secret(decoded).hasTokenPrefix else { throw .refusedURL(.userInformation) }
      self.init(try HTTPURL("\(text[..<start])\(text[parts[1].startIndex...])"))
      self.user = decoded.isEmpty ? nil : decoded
    }
  }
}

/// The names that programs and URLs have where a server asks for a user and looks at the token alone.
package enum PlaceholderUser {
  private static let names: Set<String> = [
    "", "_", "-", "git", "token", "oauth2", "x-access-token", "x-oauth-basic", "x-oauth-token", "x-token-auth",
    "__token__", "gitlab-ci-token", "private-token", "oauth2accesstoken", "_json_key", "_json_key_base64", "<token>",
    "00000000-0000-0000-0000-000000000000", "aws", "unused", "apikey", "pat", "bearer",
  ]

  /// Returns `true` if a name stands for any user.
  package static func isOne(_ name: String) -> Bool { names.contains(name.lowercased()) }
}

extension UInt8 {
  /// A letter, a digit, or another character that a URL may have in its user, but for the colon before a password.
  fileprivate var mayStandInUser: Bool {
    isASCIIAlphanumeric || "-._~%!$&'()*+,;=".utf8.contains(self)
  }
}
