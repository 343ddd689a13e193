import AcctModel
import StrictJSON

/// Why a server refused a request that carried a proof, or should have (RFC 9449, sections 5 to 9).
package enum DPoPRefusal {
  /// The error codes that a response carries.
  ///
  /// An authorization server writes them in JSON, a resource server in `WWW-Authenticate`; either
  /// is recognised from both, and with any 4xx, since some servers answer 403 for 400.
  ///
  /// - Parameters:
  ///   - status: The response's status code.
  ///   - headers: Its fields, in order.
  ///   - body: The beginning of its body, as far as it was read.
  /// - Returns: Codes such as `use_dpop_nonce` and `invalid_dpop_proof`; none for other statuses.
  package static func codes(status: Int, headers: [(name: String, value: String)], body: [UInt8]) -> Set<String> {
    guard (400..<500).contains(status) else { return [] }
    var codes = Set(
      headers.values(of: "www-authenticate").flatMap(AuthenticationChallenge.parse)
        .filter { $0.scheme == "dpop" }
        .compactMap { $0.parameters["error"] }
    )
    if let code = errorMember(of: body) { codes.insert(code) }
    return codes
  }

  /// The challenge of a resource server that got a token bound to a key, and asks for a bearer token alone (RFC 6750,
  /// section 3); one that accepts both says so (RFC 9449, section 7.1).
  ///
  /// - Returns: The challenge; `nil` for any other status, and where another is for DPoP.
  package static func bearerChallenge(
    status: Int,
    headers: [(name: String, value: String)]
  ) -> AuthenticationChallenge? {
    guard status == 401 else { return nil }
    let challenges = headers.values(of: "www-authenticate").flatMap(AuthenticationChallenge.parse)
    guard !challenges.contains(where: { $0.scheme == "dpop" }) else { return nil }
    return challenges.first { $0.scheme == "bearer" }
  }

  /// Decides whether to send the same request again with a new proof.
  ///
  /// - Parameters:
  ///   - codes: The codes that its refusal carried.
  ///   - isCorrected: `true` if the refusal has taught another nonce or the server's time.
  ///   - isRepeated: `true` if this was a second proof already; there is no third.
  /// - Returns: `true` if a proof with the server's nonce and time is to be sent.
  package static func wantsNewProof(_ codes: Set<String>, isCorrected: Bool, isRepeated: Bool) -> Bool {
    guard !isRepeated else { return false }
    return codes.contains(nonceCode) || isCorrected && codes.contains(proofCode)
  }

  /// `true` for the codes of a server that does not accept the proof.
  package static func refusesProof(_ codes: Set<String>) -> Bool {
    codes.contains(nonceCode) || codes.contains(proofCode)
  }

  private static let nonceCode = "use_dpop_nonce"
  private static let proofCode = "invalid_dpop_proof"

  /// The `error` of the body, if it is an OAuth error response (RFC 6749, section 5.2).
  private static func errorMember(of body: [UInt8]) -> String? {
    do throws(JSONError) { return try JSON(parsing: body).objectValue?["error"]?.stringValue } catch {
      // Empty bodies and HTML are answers, too; they just name no code.
      return nil
    }
  }
}

extension [(name: String, value: String)] {
  /// The values of every field of that name.
  package func values(of name: String) -> [String] { compactMap { $0.name.isSameField(as: name) ? $0.value : nil } }
}

/// The nonces that servers ask for in proofs (RFC 9449, sections 8 and 9).
package enum DPoPNonce {
  /// The nonce that a response brings, with any status; every response can.
  ///
  /// - Parameter headers: The response's fields, in order.
  /// - Returns: The value of `DPoP-Nonce` if it is one or more NQCHAR (section 8.1), and `nil`
  ///   where there is none, or several that differ.
  package static func learned(from headers: [(name: String, value: String)]) -> String? {
    guard let nonce = headers.only("dpop-nonce"), isNonce(nonce) else { return nil }
    return nonce
  }

  private static func isNonce(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isNonceCharacter) }

  /// NQCHAR = %x21 / %x23-5B / %x5D-7E: no control, no space, no quote, no backslash.
  private static func isNonceCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x5B, 0x5D...0x7E: true
    default: false
    }
  }
}
