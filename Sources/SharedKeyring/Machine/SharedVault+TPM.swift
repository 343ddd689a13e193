import AcctCrypto
import AcctModel
import AcctPorts
import Secrets
import Vault

/// A key of this machine that never leaves its TPM.
extension SharedVault {
  /// Makes a key for this machine in a TPM.
  ///
  /// It is tried out before another machine is asked to let it in.
  ///
  /// - Parameters:
  ///   - file: The file that gets its blob.
  ///   - address: The TPM.
  /// - Returns: This machine with it, and its public part.
  /// - Throws: ``KeyringFailure/machineKey(in:_:)``, or another ``KeyringFailure``.
  func makeMachineKey(
    in file: String,
    _ address: TPMAddress
  ) throws(KeyringFailure) -> (identity: MachineIdentity, publicKey: P256PublicKey) {
    let blob = try inTPM(address) { agreements async throws(HardwareKeyFailure) in
      try await agreements.create(address).blob
    }
    let key = try machineKey(of: blob, in: address, .full)
    try tryOut(key, in: address)
    let identity = MachineIdentity(id: KeyringHeader.id(of: key.publicKey), key: .tpm(address, blob: blob))
    try note(identity, in: file)
    return (identity, key.publicKey)
  }

  /// The key of a blob; the TPM is asked when it is used.
  func machineKey(
    of blob: [UInt8],
    in address: TPMAddress,
    _ patience: DeviceTimeout
  ) throws(KeyringFailure) -> RecipientKey {
    let publicKey: P256PublicKey
    do {
      let point = try agreements.read(blob)
      publicKey = try P256PublicKey(x: point.x, y: point.y)
    } catch let failure as HardwareKeyFailure {
      throw .machineKey(in: address, failure)
    } catch {
      throw .machineKey(in: address, .notOnCurve)
    }
    return RecipientKey(publicKey) { [self] other throws(KeyringFailure) in
      let point = HardwareKeyPoint(x: other.x, y: other.y)
      return try inTPM(address) { agreements async throws(HardwareKeyFailure) in
        try await agreements.agree(blob, address, point, patience)
      }
    }
  }

  /// Agrees with a software key, to see whether a key in a TPM can be used.
  func tryOut(_ key: RecipientKey, in address: TPMAddress) throws(KeyringFailure) {
    let other: (key: P256PrivateKey, agreed: Secret)
    do throws(CryptoError) {
      let made = try P256PrivateKey.generate()
      other = (made, try made.agreement(with: key.publicKey))
    } catch {
      throw KeyringFailure(error)
    }
    guard try key.agreement(other.key.publicKey) == other.agreed else { throw .machineKey(in: address, .otherBlob) }
  }

  private func inTPM<Value: Sendable>(
    _ address: TPMAddress,
    _ body: @escaping @Sendable (AgreementKeys) async throws(HardwareKeyFailure) -> Value
  ) throws(KeyringFailure) -> Value {
    let agreements = agreements
    return try waiting { () async throws(KeyringFailure) in
      do throws(HardwareKeyFailure) { return try await body(agreements) } catch {
        throw .machineKey(in: address, error)
      }
    }
  }
}
