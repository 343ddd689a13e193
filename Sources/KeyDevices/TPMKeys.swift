package import AcctModel
package import AcctPorts
package import Secrets

/// A TPM 2.0: keys for ES256 that only this TPM can use, and secrets that only it can open.
///
/// Each operation opens the device, and leaves nothing in it. Concurrent calls of several processes all succeed; a
/// call waits for a busy TPM as long as its ``DeviceTimeout`` allows, and takes no longer altogether.
package struct TPMKeys: Sendable {
  /// Makes a key: fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, sign; with a PIN (of
  /// the holder) it is subject to the TPM's protection against guessing, without one it is not.
  package var create: @Sendable (TPMAddress, _ withPIN: Bool, KeyHolder) async throws(HardwareKeyFailure) -> TPMKey
  /// Signs a SHA-256 digest of 32 bytes with a key's blob; returns r and s, 32 bytes each.
  package var sign:
    @Sendable (_ blob: [UInt8], TPMAddress, _ digest: [UInt8], KeyHolder)
      async
      throws(HardwareKeyFailure) -> [UInt8]
  /// Reads a blob without a TPM: its public point, and whether it has a PIN.
  ///
  /// Throws ``HardwareKeyFailure/unsuitable(reason:)`` for a key of another kind: another curve, one
  /// that may also decrypt, one that can be duplicated.
  package var read: @Sendable (_ blob: [UInt8]) throws(HardwareKeyFailure) -> TPMKey
  /// Encrypts up to 128 bytes so that only this TPM can open them, without any PIN.
  package var seal: @Sendable (Secret, TPMAddress) async throws(HardwareKeyFailure) -> [UInt8]
  /// Opens a blob that ``seal`` returned.
  package var unseal:
    @Sendable (_ blob: [UInt8], TPMAddress, DeviceTimeout)
      async
      throws(HardwareKeyFailure) -> Secret
  /// Describes the TPM, for `doctor` and `key list --hardware`; waits for others briefly.
  package var describe: @Sendable (TPMAddress) async throws(HardwareKeyFailure) -> TPMDescription

  package init(
    create:
      @escaping @Sendable (TPMAddress, _ withPIN: Bool, KeyHolder)
      async
      throws(HardwareKeyFailure) -> TPMKey,
    sign:
      @escaping @Sendable (_ blob: [UInt8], TPMAddress, _ digest: [UInt8], KeyHolder)
      async
      throws(HardwareKeyFailure) -> [UInt8],
    read: @escaping @Sendable (_ blob: [UInt8]) throws(HardwareKeyFailure) -> TPMKey,
    seal: @escaping @Sendable (Secret, TPMAddress) async throws(HardwareKeyFailure) -> [UInt8],
    unseal:
      @escaping @Sendable (_ blob: [UInt8], TPMAddress, DeviceTimeout)
      async
      throws(HardwareKeyFailure) -> Secret,
    describe: @escaping @Sendable (TPMAddress) async throws(HardwareKeyFailure) -> TPMDescription
  ) {
    self.create = create
    self.sign = sign
    self.read = read
    self.seal = seal
    self.unseal = unseal
    self.describe = describe
  }

  /// A machine without a TPM.
  package static let none = TPMKeys(
    create: { _, _, _ throws(HardwareKeyFailure) in throw absent },
    sign: { _, _, _, _ throws(HardwareKeyFailure) in throw absent },
    read: { _ throws(HardwareKeyFailure) in throw absent },
    seal: { _, _ throws(HardwareKeyFailure) in throw absent },
    unseal: { _, _, _ throws(HardwareKeyFailure) in throw absent },
    describe: { _ throws(HardwareKeyFailure) in throw absent }
  )

  private static let absent = HardwareKeyFailure.absent(reason: "there is no TPM")
}

/// A key that a TPM made.
package struct TPMKey: Hashable, Sendable {
  /// DER of a TSS2 PRIVATE KEY; useless with any other TPM.
  package var blob: [UInt8]
  package var point: HardwareKeyPoint
  package var hasPIN: Bool

  package init(blob: [UInt8], point: HardwareKeyPoint, hasPIN: Bool) {
    self.blob = blob
    self.point = point
    self.hasPIN = hasPIN
  }
}

/// A TPM's description of itself, made printable.
package struct TPMDescription: Hashable, Sendable {
  /// Such as "IBM SW TPM".
  package var manufacturer: String
  /// `true` if it refuses PINs now, after too many wrong ones.
  package var isLockedOut: Bool
  /// The number of wrong PINs that it still accepts before that.
  package var triesLeft: Int

  package init(manufacturer: String, isLockedOut: Bool, triesLeft: Int) {
    self.manufacturer = manufacturer
    self.isLockedOut = isLockedOut
    self.triesLeft = triesLeft
  }
}
