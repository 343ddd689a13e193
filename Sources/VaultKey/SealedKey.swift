package import AcctModel
package import AcctPorts

/// Opens and makes what a TPM has sealed, for the keys of vaults.
///
/// Both are handed over: this room knows no TPM.
package struct SealedKey: Sendable {
  package typealias Seal = @Sendable (Secret, TPMAddress) async throws(HardwareKeyFailure) -> [UInt8]
  package typealias Unseal =
    @Sendable (_ blob: [UInt8], TPMAddress, DevicePatience)
    async
    throws(HardwareKeyFailure) -> Secret

  let seal: Seal
  let unseal: Unseal

  package init(seal: @escaping Seal, unseal: @escaping Unseal) {
    self.seal = seal
    self.unseal = unseal
  }

  /// Uses a TPM; nothing is asked of it until a vault is sealed.
  package init(_ tpm: TPMKeys) { self.init(seal: tpm.seal, unseal: tpm.unseal) }

  /// A place where nothing can be sealed, and nothing was.
  package static let none = SealedKey(.none)
}
