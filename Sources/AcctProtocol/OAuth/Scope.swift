import AcctModel

extension Scope {
  /// The scopes that were requested and not granted.
  ///
  /// - Parameters:
  ///   - requested: The scope of the request.
  ///   - response: The answer; without a scope it grants the requested one (section 5.1).
  /// - Returns: The words, in the order of the request.
  package static func missing(of requested: String?, in response: TokenResponse) -> [String] {
    guard let scope = response.scope else { return [] }
    return missing(of: requested, among: words(scope)).filter { word in
      // A token is the better proof that these two were granted: some servers don't list them.
      if word == "offline_access", response.refreshToken != nil { return false }
      return word != "openid" || response.idToken == nil
    }
  }
}
