/// Why a cryptographic operation did not yield a result; the one error of this room.
package enum CryptoError: Error, Equatable, Sendable {
  /// A private scalar outside 0 < d < n.
  case scalarOutOfRange
  /// Two coordinates that are no point of the curve.
  case notOnCurve
  /// A key, nonce, scalar, coordinate or input of the wrong number of bytes.
  case wrongLength
  /// The ciphertext, its nonce, its associated data or the key differs from that of the encryption.
  case authenticationFailed
  /// Cost parameters that scrypt does not define, or that ask for too much memory.
  case unsuitableParameters
  /// The administrator's OpenSSL configuration has errors, and declares them fatal (config(5ssl),
  /// `config_diagnostics`).
  case notConfigured
  /// No private key, or numbers that make none.
  case notAKey
  /// No certificate, or one that is damaged.
  case notACertificate
  /// The library itself failed, as it does when memory runs out.
  case libraryFailed
}
