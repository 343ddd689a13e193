import AcctModel
package import AcctPorts

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
