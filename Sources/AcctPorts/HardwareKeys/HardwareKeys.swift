/// The devices whose keys never leave them.
package struct HardwareKeys: Sendable {
  package var tpm: TPMKeys
  package var pkcs11: PKCS11Keys

  package init(tpm: TPMKeys, pkcs11: PKCS11Keys) {
    self.tpm = tpm
    self.pkcs11 = pkcs11
  }

  /// A machine that has none.
  package static let none = HardwareKeys(tpm: .none, pkcs11: .none)
}

/// The point of a key on P-256: coordinates of 32 bytes each, big-endian, as the device gave them.
///
/// Whether it is a point of the curve is checked where a key is made of it.
package struct HardwareKeyPoint: Hashable, Sendable {
  package var x, y: [UInt8]

  package init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }
}
