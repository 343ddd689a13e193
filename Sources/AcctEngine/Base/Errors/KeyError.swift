package import AcctModel
package import AcctPorts
package import AcctProtocol

/// The DPoP key of an account, or its client's key, can't be used.
package enum KeyError: Error, Equatable, Sendable {
  /// The account's tokens are not bound to a key.
  case missing(AccountName)
  case unusable(JWKError)
  /// No proof could be signed.
  case proof(DPoPProof.Failure)
  /// The key is not the one that the account's tokens are bound to.
  case other(account: AccountName)
  /// The device that has the key did not make or use it.
  case hardware(HardwareKeyFailure, KeyStorage)
  /// The key can't be read out of its device, and so can't be shown, exported or replaced by a JWK.
  case inDevice(AccountName, KeyStorage)
  /// A key in a device can't be used by the other machines that share the keyring.
  case notShared(Keyring.Kind)
  /// The server offers no DPoP, so no key can be used there.
  case notOffered(Origin)
  /// The server did not bind its tokens to the key.
  case notBound(Origin?)
  /// The sign-in may be to any of these accounts, and they have their keys in several places.
  case placeUnclear([AccountName])
  /// The credentials would replace those of an account that has its key in a device.
  case leavesDevice(AccountName, KeyStorage)
  /// The client's assertion could not be signed.
  case clientKey(ClientKeyError)
}
