import COpenSSL

/// How libcrypto is made ready for what the vault and exports need: AES-256-GCM and scrypt.
enum Library {
  /// Whether the administrator's configuration, which says what providers are and do, was read.
  ///
  /// OpenSSL reads it once, before the first cipher at the latest. It is asked for here to tell
  /// errors in it from a failure of the cipher.
  static let isConfigured = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CONFIG), nil) == 1
}
