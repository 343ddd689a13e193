import AcctModel

/// The purpose of an account's second token: another audience, another scope, or both.
///
/// Two purposes are the same if they name the same audience and the same words of scope, in any order.
package struct TokenPurpose: Hashable, Sendable {
  /// As the user typed it; several are separated by spaces.
  package let audience: String?
  /// The words of the scope in the order of their bytes, each once.
  package let scope: [String]

  /// Why text is no purpose.
  package enum Flaw: Error, Equatable, Sendable { case audience, scope }

  /// Parses a purpose; `nil` where neither part is given.
  ///
  /// - Parameters:
  ///   - audience: Text without control characters, of at most 1,024 bytes.
  ///   - scope: A scope (RFC 6749, section 3.3).
  /// - Throws: ``Flaw``.
  package init?(audience: String?, scope: String?) throws(Flaw) {
    guard audience != nil || scope != nil else { return nil }
    if let audience {
      guard !audience.isEmpty, audience.utf8.count <= 1024,
        audience.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { throw .audience }
    }
    self.audience = audience
    guard let scope else {
      self.scope = []
      return
    }
    guard scope.utf8.count <= 4096, let words = Scope.strictWords(scope) else { throw .scope }
    self.scope = words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The scope as it is sent; `nil` where the purpose is another audience alone.
  package var scopeText: String? { scope.isEmpty ? nil : scope.joined(separator: " ") }

  /// The audiences one by one.
  package var audiences: [String] { audience?.split(separator: " ").map(String.init) ?? [] }
}
