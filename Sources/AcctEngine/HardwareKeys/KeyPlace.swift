package import AcctModel

/// Where a new DPoP key is made.
package enum KeyPlace: Hashable, Sendable {
  /// Here; it is kept in the keyring.
  case software
  /// In a TPM; with a PIN that is chosen now, or without one.
  case tpm(TPMAddress, withPIN: Bool)
  /// In a token: the object that the URI names, which is made where it is not there.
  case pkcs11(PKCS11URI)
}

/// What the user says about the key of a sign-in.
package struct KeyWish: Sendable {
  /// `nil`: where the account has its key now; a new account's key is a software key.
  package var place: KeyPlace?
  /// The name that the account is to have, which tells which account is meant.
  package var accountName: AccountName?

  package init(place: KeyPlace? = nil, accountName: AccountName? = nil) {
    self.place = place
    self.accountName = accountName
  }
}
