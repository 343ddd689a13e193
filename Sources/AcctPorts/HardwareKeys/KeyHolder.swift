package import AcctModel

/// Who holds a device: gives its PIN, and touches it.
package struct KeyHolder: Sendable {
  /// Returns the PIN; it is called only when the device wants one, and never twice with one
  /// answer, since each wrong one counts.
  package var pin: @Sendable (PINRequest) throws(HardwareKeyFailure) -> Secret
  /// Is told, once, that the device seems to wait for a touch.
  package var touch: @Sendable () -> Void
  /// How long it waits where another process uses the device.
  package var patience: DevicePatience

  package init(
    pin: @escaping @Sendable (PINRequest) throws(HardwareKeyFailure) -> Secret,
    touch: @escaping @Sendable () -> Void,
    patience: DevicePatience = .full
  ) {
    self.pin = pin
    self.touch = touch
    self.patience = patience
  }

  /// No person at all: who only looks whether the device answers.
  package static let absent = KeyHolder(
    pin: { _ throws(HardwareKeyFailure) in throw .noPIN(reason: "no person can be asked") },
    touch: {},
    patience: .brief
  )
}

/// How long a device is waited for that another process uses.
package enum DevicePatience: Sendable {
  /// For what has to be done: 20 seconds for a TPM; for a token as long as a person takes to touch it.
  case full
  /// To look at it: 3 seconds.
  case brief
}

/// What a PIN is wanted for.
package struct PINRequest: Equatable, Sendable {
  /// The device in a person's words: "the TPM", or a token's label, made printable.
  package var device: String
  /// The file that the URI names with `pin-source`.
  package var file: String?
  /// Whether the PIN is chosen now, for a new key, and so asked for twice.
  package var isNew: Bool

  package init(device: String, file: String? = nil, isNew: Bool = false) {
    self.device = device
    self.file = file
    self.isNew = isNew
  }
}

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
