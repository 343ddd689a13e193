import AcctModel
import AcctPorts
import CPKCS11

extension Session {
  /// Signs a digest (PKCS #11 current mechanisms 2.40, section 2.3.1: r and s, as long as the curve's order).
  ///
  /// The PIN is for a key that wants it again for each signature. Returns r and s, 32 bytes each.
  func sign(
    _ digest: [UInt8],
    with key: PrivateKey,
    _ pin: Secret?,
    _ touch: TouchWatch
  ) throws(HardwareKeyFailure) -> [UInt8] {
    var mechanism = unsafe CK_MECHANISM(mechanism: CKM_ECDSA, pParameter: nil, ulParameterLen: 0)
    try module.check("C_SignInit", unsafe module.functions.C_SignInit?(handle, &mechanism, key.handle))
    if token.needsLogin, try flag(CKA_ALWAYS_AUTHENTICATE, key.handle) == true { try logIn(CKU_CONTEXT_SPECIFIC, pin) }
    var digest = digest
    // More room than is needed: a module that answers in another form must not write beyond it.
    var signature = [UInt8](repeating: 0, count: 256)
    var count = CK_ULONG(signature.count)
    let result = touch.watch {
      unsafe module.functions.C_Sign?(handle, &digest, CK_ULONG(digest.count), &signature, &count)
    }
    switch try module.answer("C_Sign", result) {
    case CKR_OK: break
    // What modules say when a security key gave up waiting.
    case CKR_GENERAL_ERROR, CKR_DEVICE_ERROR, CKR_FUNCTION_FAILED, CKR_FUNCTION_CANCELED, CKR_FUNCTION_REJECTED:
      if touch.wasAnnounced { throw .notTouched }
      try module.check("C_Sign", result)
    default: try module.check("C_Sign", result)
    }
    guard count == 64 else { throw .malformedReply(reason: "a signature of \(count) bytes instead of 64") }
    return Array(signature.prefix(64))
  }
}
