/// Scopes as lists of words (RFC 6749, section 3.3).
package enum Scope {
  /// The words of a scope; GitHub and others also separate them by commas.
  package static func words(_ scope: String?) -> [String] {
    scope?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
  }

  /// What was requested and not granted.
  ///
  /// - Parameters:
  ///   - requested: The scope of the request.
  ///   - response: The answer; without a scope it grants what was requested (section 5.1).
  /// - Returns: The words, in the order of the request.
  package static func missing(of requested: String?, in response: TokenResponse) -> [String] {
    guard let scope = response.scope else { return [] }
    let granted = words(scope)
    return words(requested).filter { word in
      // A token is the better proof that these two were granted: some servers don't list them.
      if word == "offline_access", response.refreshToken != nil { return false }
      if word == "openid", response.idToken != nil { return false }
      return !granted.contains { isSame($0, word) }
    }
  }

  /// Whether both name the same, one of them perhaps as a URL, as in
  /// `https://www.googleapis.com/auth/userinfo.email` for `email`.
  private static func isSame(_ granted: String, _ requested: String) -> Bool {
    func isShort(_ short: String, for long: String) -> Bool {
      long.contains("://") && (long.hasSuffix("/\(short)") || long.hasSuffix(".\(short)"))
    }
    return granted == requested || isShort(requested, for: granted) || isShort(granted, for: requested)
  }
}
