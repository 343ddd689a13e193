/// The storage of a DPoP key's private part.
package enum KeyStorage: String, Sendable, CaseIterable {
  /// In the keyring, from where it can be exported.
  case software
  case tpm2
  case pkcs11
}
