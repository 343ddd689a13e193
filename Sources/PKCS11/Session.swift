import AcctModel
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
    // A token that was pulled out can't be told good-bye: what these return is of no use.
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
      // What is read now only adds to the failure.
      var now: Token?
      do throws(HardwareKeyFailure) { now = try Token.read(token.slot, module) } catch { now = nil }
      if now?.isLockedOut == true { throw .lockedOut }
      throw .wrongPIN(triesLeft: now?.triesLeft)
    case let result: try module.check("C_Login", result)
    }
  }
}
