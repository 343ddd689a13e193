import COpenSSL

/// libcrypto, started so that it reads nothing by itself, with its two contexts.
///
/// The default context has the vault, exports and RSA keys, and is the administrator's: ``isConfigured`` loads their
/// configuration. ``ProofContext`` has hashes and P-256, and is acct's alone.
enum Library {
  /// `true` if the library can be used; both contexts ask for it first.
  ///
  /// Without these options its first call reads the configuration, and fills tables of error texts and of names that are
  /// older than providers: acct has texts of its own, and asks providers for what it needs by name. And at the end of
  /// the process it would free piece by piece what ends with it, under the hands of threads that still hash.
  static let isStarted =
    OPENSSL_init_crypto(
      UInt64(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS)
        | UInt64(OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS | OPENSSL_INIT_NO_ATEXIT),
      nil
    ) == 1

  /// `true` if the default context has the administrator's configuration, which chooses and sets up providers.
  ///
  /// All that is done in that context asks for this first. It is loaded as OpenSSL does on its own: a missing file is
  /// none, and errors count where the file says so (config(5ssl)).
  static let isConfigured: Bool = {
    guard isStarted else { return false }
    defer { ERR_clear_error() }
    OPENSSL_load_builtin_modules()
    let tolerant =
      CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE | CONF_MFLAGS_IGNORE_RETURN_CODES
    return CONF_modules_load_file_ex(nil, nil, nil, UInt(tolerant)) > 0
  }()
}

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
