package import AcctModel

/// The place where a new DPoP key is made.
package enum KeyPlace: Hashable, Sendable {
  /// On this machine; it is stored in the keyring.
  case software
  /// In a TPM; with a PIN that is chosen now, or without one.
  case tpm(TPMAddress, withPIN: Bool)
  /// In a token: the object that the URI names, which is made if it does not exist.
  case pkcs11(PKCS11URI)
}

/// The user's options for the key of a sign-in.
package struct KeyRequest: Sendable {
  /// `nil` to keep the place of the account's key; a new account's key is a software key.
  package var place: KeyPlace?
  /// The account's future name, which selects among accounts that may be meant.
  package var accountName: AccountName?
  /// The account that is signed in to again, if that is certain.
  @Boxed var account: Account? = nil

  package init(place: KeyPlace? = nil, accountName: AccountName? = nil) {
    self.place = place
    self.accountName = accountName
  }

  init(place: KeyPlace?, account: Account) {
    self.place = place
    self.account = account
  }
}
