import Text

/// Scopes as lists of words (RFC 6749, section 3.3).
package enum Scope {
  /// The words of a scope; GitHub and others also separate them by commas.
  package static func words(_ scope: String?) -> [String] {
    scope?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
  }

  /// The words of a scope that are not among those that were granted, in their order.
  package static func missing(of requested: String?, among granted: [String]) -> [String] {
    words(requested).filter { word in !granted.contains { isSame($0, word) } }
  }

  /// The words that the sign-in itself answers, by a token of its own, and that no resource knows.
  package static let ofSignIn = ["openid", "offline_access"]

  /// `true` if both name the same scope, one of them perhaps as a URL, as in
  /// `https://www.googleapis.com/auth/userinfo.email` for `email`.
  private static func isSame(_ granted: String, _ requested: String) -> Bool {
    func isShort(_ short: String, for long: String) -> Bool {
      long.contains("://") && (long.hasSuffix("/\(short)") || long.hasSuffix(".\(short)"))
    }
    return granted == requested || isShort(requested, for: granted) || isShort(granted, for: requested)
  }
}

extension Scope {
  /// `true` for a word that can stand in a scope (RFC 6749, section 3.3): visible ASCII without `"` and `\`.
  package static func isWellFormed(_ word: some StringProtocol) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy {
        $0.isVisibleASCII && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
  }

  /// The words of a scope that a challenge or a user gives, each once.
  ///
  /// - Parameter text: Words that are separated by single spaces.
  /// - Returns: The words in their order; `nil` where the text is no scope.
  package static func strictWords(_ text: String) -> [String]? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.allSatisfy(isWellFormed) else { return nil }
    return words.reduce(into: []) { found, word in
      if !found.contains(String(word)) { found.append(String(word)) }
    }
  }
}
