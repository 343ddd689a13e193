import AcctModel
import AcctPorts
import CPKCS11

extension Module {
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
