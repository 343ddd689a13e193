import AcctModel
import Secrets
import AcctPorts
import CPKCS11

/// A session with a token; its user is logged out again when it ends.
struct Session {
  let module: Module
  let token: Token
  let handle: CK_SESSION_HANDLE

  /// Opens a session for the length of a call.
  static func with<Result>(
    _ token: Token,
    of module: Module,
    writing: Bool = false,
    _ body: (Session) throws(HardwareKeyFailure) -> Result
  ) throws(HardwareKeyFailure) -> Result {
    var handle: CK_SESSION_HANDLE = 0
    let flags = CKF_SERIAL_SESSION | (writing ? CKF_RW_SESSION : 0)
    try module.check("C_OpenSession", unsafe module.functions.C_OpenSession?(token.slot, flags, nil, nil, &handle))
    let session = Session(module: module, token: token, handle: handle)
    // A token that was pulled out can't be told good-bye: the results of these calls are of no use.
    defer { _ = module.functions.C_CloseSession?(handle) }
    return try body(session)
  }

  /// Logs the user in for the length of a call, where the token wants that.
  ///
  /// The PIN is `nil` for a token with a PIN pad, or one that wants no login.
  func loggedIn<Result>(
    _ pin: Secret?,
    _ body: () throws(HardwareKeyFailure) -> Result
  ) throws(HardwareKeyFailure) -> Result {
    guard token.needsLogin else { return try body() }
    try logIn(CKU_USER, pin)
    defer { _ = module.functions.C_Logout?(handle) }
    return try body()
  }

  /// Presents the PIN, to the user's session or, with CKU_CONTEXT_SPECIFIC, to the one operation that was begun.
  func logIn(_ user: CK_USER_TYPE, _ pin: Secret?) throws(HardwareKeyFailure) {
    let result: CK_RV? =
      if let pin {
        pin.withBytes { bytes in
          unsafe bytes.withUnsafeBufferPointer { bytes in
            // The module only reads it (section 5.6: C_Login).
            let start = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            return unsafe module.functions.C_Login?(handle, user, start, CK_ULONG(bytes.count))
          }
        }
      } else {
        module.functions.C_Login?(handle, user, nil, 0)
      }
    switch try module.answer("C_Login", result) {
    case CKR_USER_ALREADY_LOGGED_IN: return
    case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE:
      // The token's description, read again, only adds to the failure.
      var now: Token?
      do throws(HardwareKeyFailure) { now = try Token.read(token.slot, module) } catch { now = nil }
      if now?.isLockedOut == true { throw .lockedOut }
      throw .wrongPIN(triesLeft: now?.triesLeft)
    case let result: try module.check("C_Login", result)
    }
  }
}

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
    // The values that modules return when a security key gave up waiting.
    case CKR_GENERAL_ERROR, CKR_DEVICE_ERROR, CKR_FUNCTION_FAILED, CKR_FUNCTION_CANCELED, CKR_FUNCTION_REJECTED:
      if touch.wasAnnounced { throw .notTouched }
      try module.check("C_Sign", result)
    default: try module.check("C_Sign", result)
    }
    guard count == 64 else { throw .malformedReply(reason: "a signature of \(count) bytes instead of 64") }
    return Array(signature.prefix(64))
  }
}
