import COpenSSL

/// How libcrypto is made ready.
///
/// Each is done once, when it is first asked for, and tells whether it worked.
enum Library {
  /// Ready for arithmetic: hashes, keys and signatures, which need no provider.
  static let isStarted = copenssl_start() == 1

  /// Ready for providers, too: ciphers and key derivation, configured as the administrator wants.
  ///
  /// To read the configuration takes longer than to sign, so who only signs does not.
  static let isConfigured = isStarted && copenssl_configure() == 1
}
