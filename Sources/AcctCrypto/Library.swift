import COpenSSL

/// Prepares libcrypto for the algorithms of the vault and of exports: AES-256-GCM and scrypt.
enum Library {
  /// `true` if the administrator's configuration, which chooses and sets up providers, was read.
  ///
  /// OpenSSL reads it once, before the first cipher at the latest. It is asked for here to tell
  /// errors in it from a failure of the cipher.
  ///
  /// Its tables of error texts and of names that are older than providers stay empty: acct has texts of its
  /// own, and asks providers for what it needs by name. To fill them takes as long as all the rest.
  static let isConfigured =
    OPENSSL_init_crypto(
      UInt64(OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS)
        | UInt64(OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS),
      nil
    ) == 1
}
