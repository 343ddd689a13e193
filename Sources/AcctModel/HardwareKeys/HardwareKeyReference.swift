/// What acct keeps of a key that never leaves its device: how to find it, and no secret.
package enum HardwareKeyReference: Hashable, Sendable {
  /// The key's blob, which only the TPM that made it can load: DER of a TSS2 PRIVATE KEY
  /// (`TPMKey` of draft-bottomley-tpm2-keys), and where that TPM is.
  case tpm2(blob: [UInt8], TPMAddress)
  /// An object in a PKCS#11 token.
  case pkcs11(PKCS11URI)

  /// Where a key lives, as `keyStorage` says it.
  package var storage: KeyStorage {
    switch self {
    case .tpm2: .tpm2
    case .pkcs11: .pkcs11
    }
  }
}

/// Where the private part of a DPoP key lives.
package enum KeyStorage: String, Sendable, CaseIterable {
  /// In the keyring, from where it can be exported.
  case software
  case tpm2
  case pkcs11
}
