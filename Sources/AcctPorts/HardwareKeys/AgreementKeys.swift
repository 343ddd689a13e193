package import AcctModel
package import Secrets

/// Keys on P-256 in a TPM 2.0 that compute shared secrets (ECDH), and do nothing else.
///
/// They have no PIN. Each operation opens the device, and leaves nothing in it. Concurrent calls of several processes all
/// succeed; a call waits for a busy TPM as long as its ``DeviceTimeout`` allows.
package struct AgreementKeys: Sendable {
  /// Makes a key: fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, decrypt, noDA; returns its blob, DER of a
  /// TSS2 PRIVATE KEY that is useless with any other TPM, and its point.
  package var create:
    @Sendable (TPMAddress) async throws(HardwareKeyFailure) -> (blob: [UInt8], point: HardwareKeyPoint)
  /// Computes the shared point of a key and another's public one; returns its x coordinate, 32 bytes.
  ///
  /// The caller has checked that the other's is a point of the curve.
  package var agree:
    @Sendable (_ blob: [UInt8], TPMAddress, HardwareKeyPoint, DeviceTimeout)
      async
      throws(HardwareKeyFailure) -> Secret
  /// Reads the point of a blob without a TPM.
  ///
  /// Throws ``HardwareKeyFailure/unsuitable(reason:)`` for a key of another kind, such as one that may also sign.
  package var read: @Sendable (_ blob: [UInt8]) throws(HardwareKeyFailure) -> HardwareKeyPoint

  package init(
    create:
      @escaping @Sendable (TPMAddress)
      async
      throws(HardwareKeyFailure) -> (blob: [UInt8], point: HardwareKeyPoint),
    agree:
      @escaping @Sendable (_ blob: [UInt8], TPMAddress, HardwareKeyPoint, DeviceTimeout)
      async
      throws(HardwareKeyFailure) -> Secret,
    read: @escaping @Sendable (_ blob: [UInt8]) throws(HardwareKeyFailure) -> HardwareKeyPoint
  ) {
    self.create = create
    self.agree = agree
    self.read = read
  }

  /// A machine without a TPM.
  package static let none = AgreementKeys(
    create: { _ throws(HardwareKeyFailure) in throw absent },
    agree: { _, _, _, _ throws(HardwareKeyFailure) in throw absent },
    read: { _ throws(HardwareKeyFailure) in throw absent }
  )

  private static let absent = HardwareKeyFailure.absent(reason: "there is no TPM")
}

/// The longest wait for a device that another process uses.
package enum DeviceTimeout: Sendable {
  /// For a necessary operation: 20 seconds for a TPM; for a token as long as a person takes to touch it.
  case full
  /// For a query of the device's state: 3 seconds.
  case brief
}

/// The point of a key on P-256: coordinates of 32 bytes each, big-endian, as the device gave them.
///
/// The code that makes a key of it checks that it is a point of the curve.
package struct HardwareKeyPoint: Hashable, Sendable {
  package var x, y: [UInt8]

  package init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }
}
