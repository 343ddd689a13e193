package import AcctModel
package import AcctPorts
package import Secrets

/// The holder of a device: gives its PIN, and touches it.
package struct KeyHolder: Sendable {
  package typealias Failure = HardwareKeyFailure

  /// Returns the PIN; it is called only when the device requires one, and no answer is used twice, since each wrong
  /// one counts.
  package var pin: @Sendable (PINRequest) throws(Failure) -> Secret
  /// Tells the person, once, that the device seems to wait for a touch.
  package var touch: @Sendable () -> Void
  /// The longest wait while another process uses the device.
  package var patience: DeviceTimeout

  package init(
    pin: @escaping @Sendable (PINRequest) throws(Failure) -> Secret,
    touch: @escaping @Sendable () -> Void,
    patience: DeviceTimeout = .full
  ) {
    self.pin = pin
    self.touch = touch
    self.patience = patience
  }

  /// No person at all: for a caller that only checks whether the device answers.
  package static let absent = KeyHolder(
    pin: { _ throws(Failure) in throw .noPIN(reason: "no person can be asked") },
    touch: {},
    patience: .brief
  )
}

/// A request for a PIN: its device and its purpose.
package struct PINRequest: Equatable, Sendable {
  /// The device in a person's words: "the TPM", or a token's label, made printable.
  package var device: String
  /// The file that the URI names with `pin-source`.
  package var file: String?
  /// `true` if the PIN is being chosen for a new key, and so asked for twice.
  package var isNew: Bool

  package init(device: String, file: String? = nil, isNew: Bool = false) {
    self.device = device
    self.file = file
    self.isNew = isNew
  }
}

/// The devices whose keys never leave them.
package final class HardwareKeys: Sendable {
  package let tpm: TPMKeys
  package let pkcs11: PKCS11Keys

  package init(tpm: TPMKeys, pkcs11: PKCS11Keys) {
    self.tpm = tpm
    self.pkcs11 = pkcs11
  }

  /// A machine that has none.
  package static let none = HardwareKeys(tpm: .none, pkcs11: .none)
}
