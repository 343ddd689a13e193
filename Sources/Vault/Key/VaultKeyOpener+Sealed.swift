package import AcctModel
package import Secrets
package import AcctPorts

extension VaultKeyOpener {
  /// Opens a sealed vault: by the stored key, by its TPM, and else by passphrase.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/sealed(in:_:reason:)``, with the problems of both, if neither
  ///   opens it.
  func open(
    _ header: VaultHeader,
    _ seal: VaultSeal,
    _ interaction: Interaction,
    keeping: Bool,
    _ patience: DeviceTimeout
  ) async throws(KeyringFailure) -> OpenVaultKey {
    if let cached = cache.key(of: header) {
      return OpenVaultKey(key: cached.vaultKey, cachedFor: keeping ? cache.extend(header) : nil)
    }
    let failure: HardwareKeyFailure
    do throws(HardwareKeyFailure) {
      let key = try await sealedKey.unseal(seal.blob, seal.address, patience)
      guard header.isSealIntact(key) else { throw .unsuitable(reason: "it is not this vault's") }
      let cachedFor = keeping ? keepSealed(key, of: header) : nil
      return OpenVaultKey(key: key, cachedFor: cachedFor)
    } catch {
      failure = error
    }
    let opened: OpenVaultKey
    do throws(KeyringFailure) {
      opened = try openByPassphrase(header, interaction, keeping: keeping)
    } catch .locked(let reason, _) {
      throw .sealed(in: seal.address, failure, reason: reason)
    }
    guard header.isSealIntact(opened.key) else {
      throw .failed(reason: "what is sealed in the TPM is not this vault's key; `acct vault unseal` removes it")
    }
    return opened
  }

  /// Seals a vault key in a TPM, as the second wrap of its header, and opens it again to be sure.
  func seal(
    _ key: Secret,
    of header: VaultHeader,
    in address: TPMAddress
  ) async throws(HardwareKeyFailure) -> VaultHeader {
    let blob = try await sealedKey.seal(key, address)
    guard VaultSeal.fits(blob, address) else {
      throw .unsuitable(reason: "what it sealed does not fit into the vault's header")
    }
    guard try await sealedKey.unseal(blob, address, .full) == key else {
      throw .malformedReply(reason: "it does not open what it has just sealed")
    }
    return header.sealed(key, as: blob, by: address)
  }

  /// Why the TPM of a sealed vault does not open it; `nil` if it does.
  ///
  /// Nothing is stored, and a TPM that others use is busy after a moment.
  func failure(of seal: VaultSeal, in header: VaultHeader) async -> HardwareKeyFailure? {
    do throws(HardwareKeyFailure) {
      let key = try await sealedKey.unseal(seal.blob, seal.address, .brief)
      return header.isSealIntact(key) ? nil : .unsuitable(reason: "it is not this vault's")
    } catch {
      return error
    }
  }

  /// Stores the key of a sealed vault; returns for how many seconds the kernel keeps it.
  ///
  /// No passphrase opened it, and none is compared with it.
  func keepSealed(_ key: Secret, of header: VaultHeader) -> Int? {
    cache.keep(CachedVaultKey(key, openedBy: Secret("")), of: header)
  }
}

/// Opens and makes objects that a TPM seals, for the keys of vaults.
///
/// Both are handed over: this room knows no TPM.
package struct SealedKey: Sendable {
  package typealias Seal = @Sendable (Secret, TPMAddress) async throws(HardwareKeyFailure) -> [UInt8]
  package typealias Unseal =
    @Sendable (_ blob: [UInt8], TPMAddress, DeviceTimeout)
    async
    throws(HardwareKeyFailure) -> Secret

  let seal: Seal
  let unseal: Unseal

  package init(seal: @escaping Seal, unseal: @escaping Unseal) {
    self.seal = seal
    self.unseal = unseal
  }

  /// A place where nothing can be sealed, and nothing was.
  package static let none = SealedKey(
    seal: { _, _ throws(HardwareKeyFailure) in throw absent },
    unseal: { _, _, _ throws(HardwareKeyFailure) in throw absent }
  )

  private static let absent = HardwareKeyFailure.absent(reason: "there is no TPM")
}
