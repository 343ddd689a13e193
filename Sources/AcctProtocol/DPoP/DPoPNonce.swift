import StrictJSON

/// The nonces that servers ask for in proofs (RFC 9449, sections 8 and 9).
package enum DPoPNonce {
  /// The nonce that a response brings, whatever its status; every response can.
  ///
  /// - Parameter headers: The response's fields, in order.
  /// - Returns: The value of `DPoP-Nonce` if it is one or more NQCHAR (section 8.1), and `nil`
  ///   where there is none, or several that differ.
  package static func learned(from headers: [(name: String, value: String)]) -> String? {
    let values = Set(headers.values(of: "dpop-nonce").map { trimmed($0) })
    guard values.count == 1, let nonce = values.first, !nonce.isEmpty,
      nonce.utf8.allSatisfy(isNonceCharacter)
    else { return nil }
    return nonce
  }

  /// Whether a response refuses a request only for want of a nonce.
  ///
  /// An authorization server says so in JSON, a resource server in `WWW-Authenticate`; either is
  /// recognised from both, and with any 4xx, since some servers answer 403 for 400.
  ///
  /// - Parameters:
  ///   - status: The response's status code.
  ///   - headers: Its fields, in order.
  ///   - body: The beginning of its body, as far as it was read.
  /// - Returns: Whether the same request with a nonce may be answered.
  package static func isChallenge(
    status: Int,
    headers: [(name: String, value: String)],
    body: [UInt8]
  ) -> Bool {
    guard (400..<500).contains(status) else { return false }
    let isInHeader = headers.values(of: "www-authenticate").contains { value in
      AuthenticationChallenge.parse(value).contains { challenge in
        challenge.scheme == "dpop" && challenge.parameters["error"] == errorCode
      }
    }
    return isInHeader || errorMember(of: body) == errorCode
  }

  private static let errorCode = "use_dpop_nonce"

  /// The `error` of an OAuth error response (RFC 6749, section 5.2), if that is what it is.
  private static func errorMember(of body: [UInt8]) -> String? {
    do throws(JSONError) { return try JSON(parsing: body).objectValue?["error"]?.stringValue } catch
    {
      // Empty bodies and HTML are answers, too; they just challenge nobody.
      return nil
    }
  }

  /// NQCHAR = %x21 / %x23-5B / %x5D-7E: no control, no space, no quote, no backslash.
  private static func isNonceCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x5B, 0x5D...0x7E: true
    default: false
    }
  }

  private static func trimmed(_ value: String) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension [(name: String, value: String)] {
  /// The values of every field of this name, given in lower case.
  fileprivate func values(of name: String) -> [String] {
    filter { $0.name.lowercased() == name }.map(\.value)
  }
}
