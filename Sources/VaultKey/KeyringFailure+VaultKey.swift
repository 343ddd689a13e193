package import AcctCrypto
package import AcctPorts

extension KeyringFailure {
  /// A missing passphrase, in the keyring's terms.
  package init(_ error: NoPassphrase) { self = error.isCancelled ? .cancelled : .locked(reason: error.reason) }

  /// A failure of the cryptographic library, in the keyring's terms.
  package init(_ error: CryptoError) {
    self = .failed(
      reason: error == .notConfigured
        ? "OpenSSL's configuration has errors" : "the cryptographic library failed (\(error))"
    )
  }
}
