import AcctModel
import Secrets
package import AcctPorts
package import KeyDevices
import PrivateFiles

extension TPMKeys {
  /// The TPM of this machine, or the one that an address names.
  ///
  /// A TPM is given its commands on a thread of their own, since it may take seconds.
  ///
  /// - Parameters:
  ///   - patience: The time limit of an operation, with the waiting for other callers but not for a person.
  ///   - glance: The time limit of an operation that only looks.
  /// - Returns: The operations; nothing is open yet.
  package static func live(patience: Duration = .seconds(20), glance: Duration = .seconds(3)) -> TPMKeys {
    @Sendable func time(_ asked: DeviceTimeout) -> Duration {
      switch asked {
      case .full: patience
      case .brief: glance
      }
    }
    return TPMKeys(
      create: { address, withPIN, holder throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          try makeKey(at: address, withPIN, holder, time(holder.patience))
        }
      },
      sign: { blob, address, digest, holder throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          try signature(of: digest, with: blob, at: address, holder, time(holder.patience))
        }
      },
      read: { blob throws(HardwareKeyFailure) in
        var key = try TPMKey(try KeyFile(der: blob))
        key.blob = blob
        return key
      },
      seal: { data, address throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          try TPMDevice(at: address, patience: patience).seal(data)
        }
      },
      unseal: { blob, address, asked throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          try TPMDevice(at: address, patience: time(asked)).unseal(blob)
        }
      },
      describe: { address throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in try TPMDevice(at: address, patience: glance).describe() }
      }
    )
  }
}

private func makeKey(
  at address: TPMAddress,
  _ withPIN: Bool,
  _ holder: KeyHolder,
  _ patience: Duration
) throws(HardwareKeyFailure) -> TPMKey {
  guard withPIN else { return try TPMDevice(at: address, patience: patience).makeKey(pin: nil) }
  let (pin, device) = try pin(of: nil, at: address, holder, patience)
  return try device.makeKey(pin: pin)
}

private func signature(
  of digest: [UInt8],
  with blob: [UInt8],
  at address: TPMAddress,
  _ holder: KeyHolder,
  _ patience: Duration
) throws(HardwareKeyFailure) -> [UInt8] {
  let file = try KeyFile(der: blob)
  guard try TPMKey(file).hasPIN else { return try TPMDevice(at: address, patience: patience).sign(digest, with: file) }
  let (pin, device) = try pin(of: file, at: address, holder, patience)
  return try device.sign(digest, with: file, pin: pin)
}

/// Gets the PIN of a key, or of a new one, unless the TPM would not take it.
///
/// - Returns: The PIN, and the TPM for the time that is left; a person's does not count.
private func pin(
  of key: KeyFile?,
  at address: TPMAddress,
  _ holder: KeyHolder,
  _ patience: Duration
) throws(HardwareKeyFailure) -> (Secret, TPMDevice) {
  let end = Deadline(after: patience)
  try TPMDevice(at: address, patience: patience).checkForPIN(of: key)
  let rest = end.patience
  let pin = try holder.pin(PINRequest(device: "the TPM", isNew: key == nil))
  return (pin, TPMDevice(at: address, patience: rest))
}

/// Gives a TPM its commands on a thread of their own.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws(HardwareKeyFailure) -> Result
) async throws(HardwareKeyFailure) -> Result {
  try await onDedicatedThread(orThrow: .failed(reason: "no thread could be started"), body)
}

extension AgreementKeys {
  /// The TPM of this machine, or the one that an address names.
  ///
  /// An operation takes 20 seconds at most, with the waiting for other callers; one that only looks takes 3.
  ///
  /// - Returns: The operations; nothing is open yet. They capture nothing: each command makes them, and few use them.
  package static func live() -> AgreementKeys {
    AgreementKeys(
      create: { address throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          let file = try TPMDevice(at: address).makeAgreementKey()
          return (file.der, try file.agreementPoint)
        }
      },
      agree: { blob, address, point, asked throws(HardwareKeyFailure) in
        try await onThread { () throws(HardwareKeyFailure) in
          let device =
            switch asked {
            case .full: TPMDevice(at: address)
            case .brief: TPMDevice(at: address, patience: .seconds(3))
            }
          return try device.agree(with: point, by: KeyFile(der: blob))
        }
      },
      read: { blob throws(HardwareKeyFailure) in try KeyFile(der: blob).agreementPoint }
    )
  }
}
