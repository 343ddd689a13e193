package import AcctModel
package import AcctPorts

/// The keyring did not give or take credentials, or holds something else.
package enum KeyringError: Error, Equatable, Sendable {
  case failed(KeyringFailure, Keyring.Kind)
  /// No keyring can be chosen.
  case notChosen(reason: String)
  /// `ACCT_KEYRING` names no keyring.
  case unknown(String)
  /// What the keyring holds for the account is not what acct writes.
  case damagedItem(AccountName, ItemKind)
  /// The account's key is not the one that its file names: an older acct was interrupted while it replaced credentials.
  case halfReplaced(AccountName)
  /// Another machine that shares the keyring changes the account again and again.
  case changedElsewhere(AccountName)
  /// The vault's key could not be sealed in a TPM.
  case notSealed(HardwareKeyFailure, TPMAddress)
}
