/// The nonces that servers ask for in proofs (RFC 9449, sections 8 and 9).
package enum DPoPNonce {
  /// The nonce that a response brings, whatever its status; every response can.
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
