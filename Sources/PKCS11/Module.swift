import AcctModel
import AcctPorts
import CPKCS11
import PrivateFiles
import Synchronization

/// A module that has been loaded, for good, and is initialized while it is in use.
@safe final class Module: @unchecked Sendable {
  let path: String
  /// A copy of the module's table of functions, which never changes.
  let functions: CK_FUNCTION_LIST
  private let use = Mutex(Use())

  private struct Use {
    /// `true` if this process has called C_Initialize and not C_Finalize.
    var isInitialized = false
    /// The number of operations that go on; one whose call never returned counts for ever.
    var operations = 0
  }

  /// Loads a module.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for a file that is no module, one of another version, or one
  ///   that another user can have written.
  init(loading path: String) throws(HardwareKeyFailure) {
    Self.silenced
    // The linker looks for a name without a folder in its own.
    if path.contains("/") {
      do throws(FileError) { _ = try Descriptor.trusted(path, .program) } catch .system {
        // It has the words for this.
      } catch {
        throw .unsuitable(reason: "\(printable(path)): \(printable(error.reason))")
      }
    }
    var library: UnsafeMutableRawPointer?
    if let problem = unsafe acct_pkcs11_load(path, &library) {
      throw .unsuitable(reason: printable(unsafe String(cString: problem)))
    }
    var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
    let result = unsafe acct_pkcs11_functions(library, &list)
    guard result == CKR_OK, let list = unsafe list else {
      throw .unsuitable(reason: "\(printable(path)) is not a PKCS#11 module")
    }
    // Versions 2.1 to 2.40 have these functions in this order, and 3.0 offers them by this call.
    let version = unsafe list.pointee.version
    guard (version.major == 2 && version.minor >= 1) || version.major == 3 else {
      let number = "\(version.major).\(version.minor)"
      throw .unsuitable(reason: "\(printable(path)) speaks version \(number) of PKCS#11, not 2 or 3")
    }
    self.path = path
    unsafe functions = list.pointee
  }

  /// Calls the module between C_Initialize and C_Finalize.
  ///
  /// It stays initialized for the next operation, unless this one failed: then the next one starts afresh, since
  /// some modules do not see a reader again that was away.
  func use<Result>(_ body: () throws(HardwareKeyFailure) -> Result) throws(HardwareKeyFailure) -> Result {
    try use.withLock { use throws(HardwareKeyFailure) in
      if !use.isInitialized { use.isInitialized = try initialize() }
      use.operations += 1
    }
    do throws(HardwareKeyFailure) {
      let result = try body()
      use.withLock { $0.operations -= 1 }
      return result
    } catch {
      use.withLock { use in
        use.operations -= 1
        finalize(&use)
      }
      throw error
    }
  }

  /// Lets the module release its resources, unless a call has not returned.
  func end() { _ = use.withLockIfAvailable { finalize(&$0) } }

  /// - Returns: `true` if C_Finalize is this process's part, too.
  private func initialize() throws(HardwareKeyFailure) -> Bool {
    var arguments = unsafe CK_C_INITIALIZE_ARGS()
    unsafe arguments.flags = CKF_OS_LOCKING_OK
    let result = try answer("C_Initialize", unsafe functions.C_Initialize?(&arguments))
    // Another part of the process uses the module, too.
    if result == CKR_CRYPTOKI_ALREADY_INITIALIZED { return false }
    try check("C_Initialize", result)
    return true
  }

  private func finalize(_ use: inout Use) {
    guard use.isInitialized, use.operations == 0 else { return }
    _ = functions.C_Finalize?(nil)
    use.isInitialized = false
  }

  private static let silenced: Void = acct_pkcs11_silence()

  /// Makes sure that a module has the function that was called.
  ///
  /// - Returns: The function's return value.
  func answer(_ function: String, _ result: CK_RV?) throws(HardwareKeyFailure) -> CK_RV {
    guard let result else { throw .malformedReply(reason: "the module has no \(function)") }
    return result
  }

  /// Makes sure that a call succeeded.
  func check(_ function: String, _ result: CK_RV?) throws(HardwareKeyFailure) {
    let result = try answer(function, result)
    if result != CKR_OK { throw HardwareKeyFailure(function, result) }
  }
}

extension HardwareKeyFailure {
  /// Translates a return value (PKCS #11 base specification 2.40, section 5.1).
  init(_ function: String, _ value: CK_RV) {
    let reason = "\(function) failed with \(name(of: value))"
    switch value {
    case CKR_TOKEN_NOT_PRESENT, CKR_DEVICE_REMOVED, CKR_SLOT_ID_INVALID, CKR_TOKEN_NOT_RECOGNIZED:
      self = .absent(reason: "the token is not there (\(name(of: value)))")
    case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE: self = .wrongPIN(triesLeft: nil)
    case CKR_PIN_LOCKED: self = .lockedOut
    case CKR_USER_PIN_NOT_INITIALIZED: self = .unsuitable(reason: "the token has no PIN yet")
    case CKR_FUNCTION_CANCELED, CKR_FUNCTION_REJECTED: self = .cancelled
    case CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID: self = .gone
    case CKR_TOKEN_WRITE_PROTECTED: self = .unsuitable(reason: "the token is write-protected")
    case CKR_MECHANISM_INVALID, CKR_CURVE_NOT_SUPPORTED, CKR_DOMAIN_PARAMS_INVALID:
      self = .unsuitable(reason: "the token does not support ES256 (\(reason))")
    default: self = .failed(reason: reason)
    }
  }
}

/// The name of a return value, else its number.
private func name(of value: CK_RV) -> String { names[value] ?? "0x\(String(value, radix: 16))" }

private let names: [CK_RV: String] = [
  CKR_HOST_MEMORY: "CKR_HOST_MEMORY", CKR_SLOT_ID_INVALID: "CKR_SLOT_ID_INVALID",
  CKR_GENERAL_ERROR: "CKR_GENERAL_ERROR", CKR_FUNCTION_FAILED: "CKR_FUNCTION_FAILED",
  CKR_ARGUMENTS_BAD: "CKR_ARGUMENTS_BAD", CKR_CANT_LOCK: "CKR_CANT_LOCK",
  CKR_ATTRIBUTE_READ_ONLY: "CKR_ATTRIBUTE_READ_ONLY",
  CKR_ATTRIBUTE_TYPE_INVALID: "CKR_ATTRIBUTE_TYPE_INVALID",
  CKR_ATTRIBUTE_VALUE_INVALID: "CKR_ATTRIBUTE_VALUE_INVALID",
  CKR_ACTION_PROHIBITED: "CKR_ACTION_PROHIBITED", CKR_DATA_LEN_RANGE: "CKR_DATA_LEN_RANGE",
  CKR_DEVICE_ERROR: "CKR_DEVICE_ERROR", CKR_DEVICE_MEMORY: "CKR_DEVICE_MEMORY",
  CKR_DEVICE_REMOVED: "CKR_DEVICE_REMOVED",
  CKR_FUNCTION_NOT_SUPPORTED: "CKR_FUNCTION_NOT_SUPPORTED",
  CKR_KEY_FUNCTION_NOT_PERMITTED: "CKR_KEY_FUNCTION_NOT_PERMITTED",
  CKR_KEY_TYPE_INCONSISTENT: "CKR_KEY_TYPE_INCONSISTENT",
  CKR_MECHANISM_INVALID: "CKR_MECHANISM_INVALID", CKR_PIN_EXPIRED: "CKR_PIN_EXPIRED",
  CKR_CURVE_NOT_SUPPORTED: "CKR_CURVE_NOT_SUPPORTED",
  CKR_DOMAIN_PARAMS_INVALID: "CKR_DOMAIN_PARAMS_INVALID",
  CKR_SESSION_COUNT: "CKR_SESSION_COUNT", CKR_SESSION_CLOSED: "CKR_SESSION_CLOSED",
  CKR_SESSION_HANDLE_INVALID: "CKR_SESSION_HANDLE_INVALID",
  CKR_TEMPLATE_INCOMPLETE: "CKR_TEMPLATE_INCOMPLETE",
  CKR_TEMPLATE_INCONSISTENT: "CKR_TEMPLATE_INCONSISTENT",
  CKR_TOKEN_NOT_PRESENT: "CKR_TOKEN_NOT_PRESENT",
  CKR_TOKEN_NOT_RECOGNIZED: "CKR_TOKEN_NOT_RECOGNIZED",
  CKR_USER_NOT_LOGGED_IN: "CKR_USER_NOT_LOGGED_IN",
  CKR_USER_TYPE_INVALID: "CKR_USER_TYPE_INVALID",
  CKR_BUFFER_TOO_SMALL: "CKR_BUFFER_TOO_SMALL",
  CKR_CRYPTOKI_NOT_INITIALIZED: "CKR_CRYPTOKI_NOT_INITIALIZED",
  CKR_LIBRARY_LOAD_FAILED: "CKR_LIBRARY_LOAD_FAILED",
]
