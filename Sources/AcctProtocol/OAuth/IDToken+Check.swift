package import AcctModel
import StrictJSON

/// The checks of a client that got the token by TLS from the token endpoint (OpenID Connect Core 1.0, section 3.1.3.7).
extension IDToken {
  /// Seconds that clocks may differ by, beyond the known offset of the server's.
  private static let tolerance: Int64 = 300

  /// Checks that the token is the one that a sign-in asked for (items 2 to 5 and 9 to 11).
  ///
  /// - Parameters:
  ///   - issuer: The issuer that it must have; `nil` where none is known, since the user named the endpoints.
  ///   - clientID: The client that it must be for; of several audiences, `azp` must name it, too.
  ///   - nonce: The nonce that it must repeat, if the request had one.
  ///   - now: The time at the server.
  /// - Throws: ``Flaw``.
  package func check(
    from issuer: Issuer?,
    for clientID: String,
    repeating nonce: String?,
    at now: Timestamp
  ) throws(Flaw) {
    guard issuer == nil || self.issuer == issuer?.description else { throw .issuer }
    try checkAudience(clientID)
    if let nonce {
      guard let repeated = claims.object["nonce"]?.stringValue else { throw .nonceMissing }
      guard repeated == nonce else { throw .nonceMismatch }
    }
    try checkTime(now)
  }

  /// Checks that the token may take the place of an earlier one after a refresh (section 12.2).
  ///
  /// - Parameters:
  ///   - earlier: The token before; `nil` if none is stored.
  ///   - clientID: The client that it must be for, if it is known.
  ///   - now: The time at the server.
  /// - Throws: ``Flaw``.
  package func check(after earlier: IDToken?, for clientID: String?, at now: Timestamp) throws(Flaw) {
    if let earlier {
      guard issuer == earlier.issuer else { throw .issuer }
      guard subject == earlier.subject else { throw .subject }
      guard earlier.claims.audiences.allSatisfy(isFor) else { throw .audience }
      let nonce = claims.object["nonce"] ?? .null
      guard nonce == .null || nonce == earlier.claims.object["nonce"] else { throw .nonceMismatch }
    }
    if let clientID { try checkAudience(clientID) }
    try checkTime(now)
  }

  func checkAudience(_ clientID: String) throws(Flaw) {
    guard isFor(clientID) else { throw .audience }
    let party = claims.object["azp"] ?? .null
    let isAlone = claims.audiences.allSatisfy { $0 == clientID }
    guard party == .string(clientID) || isAlone && party == .null else { throw .authorizedParty }
  }

  private func checkTime(_ now: Timestamp) throws(Flaw) {
    guard let end = claims.expiry else { throw .endMissing }
    guard end.seconds(since: now) + Self.tolerance > 0 else { throw .expired }
    guard let issued = issuedAt else { throw .issueTimeMissing }
    guard issued.seconds(since: now) <= Self.tolerance else { throw .issuedLater }
  }
}
