package import AcctModel

/// The operations that only the vault has: unlocking, locking, changing the passphrase, and sealing in a TPM.
package struct Vault: Sendable {
  /// Returns `true` if it exists.
  package var isThere: @Sendable () throws(KeyringFailure) -> Bool
  /// Unwraps the vault key and stores it in the kernel for a while.
  ///
  /// Returns the number of seconds that it stays there, or `nil` if the kernel rejects it and each command opens the
  /// vault without a person.
  package var unlock: @Sendable (Interaction) async throws(KeyringFailure) -> Int?
  /// Forgets the vault key.
  package var lock: @Sendable () async throws(KeyringFailure) -> Void
  /// Wraps the vault key with a new passphrase; the items stay as they are, and so does the seal.
  ///
  /// The new passphrase is read from a file that the user names, else asked for.
  package var changePassphrase:
    @Sendable (_ newPassphraseFile: String?, Interaction) async throws(KeyringFailure) -> Void
  /// Deletes the vault with everything in it, which also a vault that nothing opens allows.
  package var reset: @Sendable () async throws(KeyringFailure) -> Void
  /// Seals the vault key in a TPM, too, in place of any other; the passphrase stays.
  package var seal: @Sendable (TPMAddress, Interaction) async throws(VaultSealFailure) -> Void
  /// Removes the seal, which requires the passphrase: it alone opens the vault from then on.
  ///
  /// Returns `false` if there was no seal.
  package var unseal: @Sendable (Interaction) async throws(KeyringFailure) -> Bool
  /// Returns the address of the TPM that opens it; `nil` if it is not sealed, or does not exist.
  ///
  /// No TPM is asked.
  package var sealedIn: @Sendable () throws(KeyringFailure) -> TPMAddress?
  /// Checks that the TPM opens it now, whatever is stored; returns `nil` if it is not sealed.
  ///
  /// Other processes are waited for briefly.
  package var checkSeal: @Sendable () async throws(KeyringFailure) -> VaultSealCheck?

  package init(
    isThere: @escaping @Sendable () throws(KeyringFailure) -> Bool,
    unlock: @escaping @Sendable (Interaction) async throws(KeyringFailure) -> Int?,
    lock: @escaping @Sendable () async throws(KeyringFailure) -> Void,
    changePassphrase:
      @escaping @Sendable (_ newPassphraseFile: String?, Interaction) async throws(KeyringFailure)
      -> Void,
    reset: @escaping @Sendable () async throws(KeyringFailure) -> Void,
    seal:
      @escaping @Sendable (TPMAddress, Interaction) async throws(VaultSealFailure) -> Void,
    unseal: @escaping @Sendable (Interaction) async throws(KeyringFailure) -> Bool,
    sealedIn: @escaping @Sendable () throws(KeyringFailure) -> TPMAddress?,
    checkSeal: @escaping @Sendable () async throws(KeyringFailure) -> VaultSealCheck?
  ) {
    self.isThere = isThere
    self.unlock = unlock
    self.lock = lock
    self.changePassphrase = changePassphrase
    self.reset = reset
    self.seal = seal
    self.unseal = unseal
    self.sealedIn = sealedIn
    self.checkSeal = checkSeal
  }
}

/// Why a vault could not be sealed; the vault is unchanged.
package enum VaultSealFailure: Error, Equatable, Sendable {
  /// The vault is not open, or not there, or could not be written.
  case vault(KeyringFailure)
  /// The TPM did not seal its key.
  case tpm(HardwareKeyFailure, TPMAddress)
}

/// A sealed vault, and its TPM's answer.
package struct VaultSealCheck: Equatable, Sendable {
  package var address: TPMAddress
  /// Why the TPM does not open it; `nil` if it does.
  package var failure: HardwareKeyFailure?

  package init(address: TPMAddress, failure: HardwareKeyFailure?) {
    self.address = address
    self.failure = failure
  }
}
