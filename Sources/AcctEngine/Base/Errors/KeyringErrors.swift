package import AcctModel
package import AcctPorts
package import AcctProtocol

/// The keyring did not read or store credentials, or holds something else.
package enum KeyringError: Error, Equatable, Sendable {
  case failed(KeyringFailure, Keyring.Kind)
  /// A person was to unlock it, and did not.
  case stillLocked(KeyringFailure, Keyring.Kind)
  /// A server's answer could not be stored, although there was time to unlock the keyring.
  case notStored(KeyringFailure, Keyring.Kind)
  /// No keyring can be chosen.
  case notChosen(Undecided)
  /// `ACCT_KEYRING` names no keyring.
  case unknown(String)
  /// The keyring's item for the account is not of the form that acct writes.
  case damagedItem(AccountName, ItemKind)
  /// The account's key is not the one that its file names: an older acct was interrupted while it replaced credentials.
  case halfReplaced(AccountName)
  /// Another machine that shares the keyring changes the account repeatedly.
  case changedElsewhere(AccountName)
  /// The vault with the secrets of these accounts is deleted only with a confirmation.
  case resetUnconfirmed([AccountName])
  /// The vault's key could not be sealed in a TPM.
  case notSealed(HardwareKeyFailure, TPMAddress)
  /// `ACCT_KEYRING` would make the next command use another keyring.
  case demanded(Keyring.Kind)
  /// A guest belongs to one machine, and can't be added to a keyring that others share.
  case guestNotShared(Keyring.Kind)
  /// The passphrase of a shared keyring is the same for all machines.
  case passphraseStays(Keyring.Kind)
  /// A TPM is one machine's, and a shared keyring is not.
  case notSealable(Keyring.Kind)

  /// Why no keyring is chosen.
  package enum Undecided: Sendable {
    case never
    /// The file of the decision names no keyring.
    case malformed
    /// There are accounts, and no file.
    case missing
  }
}

/// The DPoP key of an account, or its client's key, can't be used.
package enum KeyError: Error, Equatable, Sendable {
  /// The account's tokens are not bound to a key.
  case missing(AccountName)
  case unusable(JWKError)
  /// No proof could be signed.
  case proof(DPoPProof.Failure)
  /// The key is not the one that the account's tokens are bound to.
  case other(account: AccountName)
  /// The device that has the key could not make or use it.
  case hardware(HardwareKeyFailure, KeyStorage)
  /// The key can't be read out of its device, and so can't be shown, exported or replaced by a JWK.
  case inDevice(AccountName, KeyStorage)
  /// A key in a device can't be used by the other machines that share the keyring.
  case notShared(Keyring.Kind)
  /// The server offers no DPoP, so no key can be used there.
  case notOffered(Origin)
  /// The credentials would replace those of an account that has its key in a device.
  case leavesDevice(AccountName, KeyStorage)
  /// The client's assertion could not be signed.
  case clientKey(ClientKeyError)
}

/// Why accounts could not be exported, or an export could not be imported.
package enum TransferError: Error, Equatable, Sendable {
  case sealed(SealedExportError)
  /// It was opened, and its contents are not accounts.
  case notAccounts
  /// An account in it names a file, a program or a device, which would be one of this machine.
  case local(AccountName)
  /// An account in it has parts that contradict each other.
  case unsound(AccountName)
  /// An account has no credentials that could be used elsewhere.
  case nothingToExport(AccountName)
  /// It is larger than an import accepts, in bytes.
  case tooLarge(limit: Int)
  /// Standard output is a terminal.
  case terminal
  case file(SecretFileFailure)
  /// No passphrase was given, and there is no terminal to ask for one.
  case noPassphrase
  case emptyPassphrase
  case passphrasesDiffer
  /// A name was given for several accounts.
  case oneNameForSeveral
  /// These accounts have newer tokens here than the import.
  case newerHere([AccountName])
}
