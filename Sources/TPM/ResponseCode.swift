import AcctModel

/// The result of a command (TPM 2.0 Library, Part 2 §6.6, TPM_RC).
struct ResponseCode: Hashable, Sendable {
  let value: UInt32

  init(_ value: UInt32) { self.value = value }

  static let success = ResponseCode(0)
  /// TPM_RC_INITIALIZE: it was not started.
  static let notStarted = ResponseCode(0x100)
  /// TPM_RC_FAILURE: a test of itself failed.
  static let failureMode = ResponseCode(0x101)
  /// TPM_RC_LOCKOUT: it had too many wrong passwords.
  static let lockout = ResponseCode(0x921)

  /// TPM_RC_YIELDED, TESTING, NV_RATE, RETRY, NV_UNAVAILABLE: the command was not begun, and can be given
  /// again (Part 2 §6.6.3, warnings).
  var asksToTryAgain: Bool {
    switch value {
    case 0x908, 0x90A, 0x920, 0x922, 0x923: true
    default: false
    }
  }

  /// TPM_RC_OBJECT_MEMORY, MEMORY, OBJECT_HANDLES: there is no room for another object.
  var lacksRoom: Bool { value == 0x902 || value == 0x904 || value == 0x906 }

  /// The error of a format-one code without the number of the handle, session or parameter that it is about
  /// (Part 2 §6.6.2); other codes as they are.
  private var kind: UInt32 { value & 0x80 == 0 ? value : value & 0xBF }

  /// TPM_RC_AUTH_FAIL, which is counted, and TPM_RC_BAD_AUTH, which is not: the password is wrong.
  var isWrongPassword: Bool { kind == 0x8E || kind == 0xA2 }

  /// The failure that a code other than ``success`` means for a command.
  ///
  /// A wrong password is the PIN's alone where a key signs: parents have none.
  func failure(of command: CommandCode) -> HardwareKeyFailure {
    if self == .lockout { return .lockedOut }
    if asksToTryAgain || lacksRoom { return .busy }
    switch command {
    case .sign where isWrongPassword: return .wrongPIN(triesLeft: nil)
    case .createPrimary where isWrongPassword: return .owned
    case .create where isWrongPassword, .load where isWrongPassword, .unseal where isWrongPassword:
      return .failed(reason: "its storage key has a password (\(number))")
    // TPM_RC_INTEGRITY: another TPM's parent encrypted it. TPM_RC_HANDLE: its parent was kept here.
    case .load where kind == 0x9F || kind == 0x8B: return .foreign
    case .create, .createPrimary, .agree, .load, .sign, .unseal, .flushContext, .getCapability: break
    }
    switch self {
    case .notStarted: return .failed(reason: "the TPM was not started (\(number))")
    case .failureMode: return .failed(reason: "the TPM is in failure mode (\(number))")
    default: return .failed(reason: "the TPM's error \(number)")
    }
  }

  private var number: String { "0x" + String(value, radix: 16) }
}
