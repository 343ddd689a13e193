import COpenSSL

/// The context for SHA-256, HMAC and P-256, with settings of acct's own.
///
/// No configuration governs it, so that a proof costs no reading of files, and the same key signs on every machine. Its
/// generator of random numbers is a Hash_DRBG (NIST SP 800-90A): OpenSSL's usual one, of a cipher, would first list
/// every cipher there is. The generator is seeded by the kernel.
@safe struct ProofContext: @unchecked Sendable {
  let library: OpaquePointer

  /// The one of this process; `nil` without memory alone, since all of it is in the program itself.
  static let shared = ProofContext()

  private init?() {
    guard Library.isStarted, let library = unsafe OSSL_LIB_CTX_new(),
      unsafe RAND_set_DRBG_type(library, "HASH-DRBG", nil, nil, "SHA2-256") == 1
    else { return nil }
    unsafe self.library = library
  }
}
