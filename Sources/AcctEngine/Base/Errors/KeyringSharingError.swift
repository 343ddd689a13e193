package import AcctModel
package import AcctPorts

/// A shared keyring could not be begun, or accounts could not be moved; nothing was changed unless it says so.
package enum KeyringSharingError: Error, Equatable, Sendable {
  /// This machine shares a keyring of another name, or on another engine.
  case otherKeyring(name: String)
  /// The engine at the address is another one than this machine's copies are of, or was restored from a backup.
  case otherEngine(name: String)
  /// `ACCT_KEYRING` would lead the next command elsewhere.
  case demanded(Keyring.Kind)
  /// Guests belong to one machine.
  case guests([AccountName])
  /// The keys of these are in a device of this machine.
  case keysInDevices([AccountName])
  /// The target has other accounts of these names.
  case namesTaken([AccountName])
  /// The target has accounts with the identifiers of these, and they are someone else's.
  case otherIdentities([AccountName])
  /// What a shared source has of this account can't be used; nothing was moved.
  case damaged(AccountName, SharedDamage)
  /// What was read back is not what was written.
  case notKept(AccountName)
  /// The accounts are where they were to go; what is left of them could not be removed here.
  case notRemoved(KeyringFailure, from: Keyring.Kind, to: Keyring.Kind)
  /// The passphrase of a shared keyring is the same for all machines.
  case passphraseStays(Keyring.Kind)
  /// A TPM is one machine's, and a shared keyring is not.
  case notSealable(Keyring.Kind)
  /// An option names a file that is not there; what it names may be a secret.
  case noFile(option: String)
  /// A path is relative, and there is no working directory.
  case relativePath(option: String)
}
