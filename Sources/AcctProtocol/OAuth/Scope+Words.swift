extension Scope {
  /// Whether a word can stand in a scope (RFC 6749, section 3.3): visible ASCII without `"` and `\`.
  package static func isWellFormed(_ word: some StringProtocol) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
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
