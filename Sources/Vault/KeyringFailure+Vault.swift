package import AcctCrypto
package import AcctPorts
package import PrivateFiles

extension KeyringFailure {
  /// A missing passphrase, in the keyring's terms.
  init(_ error: NoPassphrase) {
    self =
      error.isCancelled ? .cancelled : .locked(reason: error.reason, openedBy: error.file.map(Opening.file) ?? .any)
  }

  /// A failure of the cryptographic library, in the keyring's terms.
  package init(_ error: CryptoError) {
    self = .failed(
      reason: error == .notConfigured
        ? "OpenSSL's configuration has errors" : "the cryptographic library failed (\(error))"
    )
  }

  /// A failure of a private folder, in the keyring's terms.
  package init(_ error: PrivateFilesError) {
    self =
      switch error {
      case .failed(let path, let reason), .unsafe(let path, let reason): .failed(reason: "\(path): \(reason)")
      case .busy: .timedOut
      }
  }
}
