import AcctModel
import AcctPorts
import KeyDevices
import CPKCS11

/// A token, as its module describes it.
struct Token: Sendable {
  let slot: CK_SLOT_ID
  let label, manufacturer, model, serial: String
  private let flags: CK_FLAGS

  private init(_ slot: CK_SLOT_ID, _ info: CK_TOKEN_INFO) {
    self.slot = slot
    flags = info.flags
    label = unsafe withUnsafeBytes(of: info.label) { unsafe text($0) }
    manufacturer = unsafe withUnsafeBytes(of: info.manufacturerID) { unsafe text($0) }
    model = unsafe withUnsafeBytes(of: info.model) { unsafe text($0) }
    serial = unsafe withUnsafeBytes(of: info.serialNumber) { unsafe text($0) }
  }

  /// Its name for people.
  var name: String { printable(label.isEmpty ? "\(manufacturer) \(model)" : label) }

  var isInitialized: Bool { flags & CKF_TOKEN_INITIALIZED != 0 }
  var needsLogin: Bool { flags & CKF_LOGIN_REQUIRED != 0 }
  /// `true` if the PIN is entered at the device itself.
  var hasPINPad: Bool { flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 }
  var isLockedOut: Bool { flags & CKF_USER_PIN_LOCKED != 0 }
  /// The number of wrong PINs that are left, where the token tells.
  var triesLeft: Int? { flags & CKF_USER_PIN_FINAL_TRY != 0 ? 1 : nil }

  func matches(_ uri: PKCS11URI) -> Bool {
    (uri.token ?? label) == label && (uri.manufacturer ?? manufacturer) == manufacturer
      && (uri.model ?? model) == model && (uri.serial ?? serial) == serial
      && (uri.slotID ?? UInt64(slot)) == UInt64(slot)
  }

  /// `true` if both are the same device.
  func isSame(as other: Token) -> Bool {
    label == other.label && manufacturer == other.manufacturer && model == other.model && serial == other.serial
  }

  /// Reads a token's description; `nil` if it was removed meanwhile, or is of no kind that the module knows.
  static func read(_ slot: CK_SLOT_ID, _ module: Module) throws(HardwareKeyFailure) -> Token? {
    var info = CK_TOKEN_INFO()
    let result = unsafe module.functions.C_GetTokenInfo?(slot, &info)
    switch try module.answer("C_GetTokenInfo", result) {
    case CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED, CKR_DEVICE_REMOVED, CKR_SLOT_ID_INVALID:
      return nil
    case let result: try module.check("C_GetTokenInfo", result)
    }
    return Token(slot, info)
  }
}

extension Module {
  /// The tokens that are there now and were set up by their owners.
  func tokens() throws(HardwareKeyFailure) -> [Token] {
    var tokens: [Token] = []
    for slot in try slots() {
      if let token = try Token.read(slot, self), token.isInitialized { tokens.append(token) }
    }
    return tokens
  }

  private static let maximumSlots = 1024

  private func slots() throws(HardwareKeyFailure) -> [CK_SLOT_ID] {
    // A token may be plugged in between the two calls.
    for _ in 0..<3 {
      var count: CK_ULONG = 0
      try check("C_GetSlotList", unsafe functions.C_GetSlotList?(CK_BBOOL(CK_TRUE), nil, &count))
      guard count <= Self.maximumSlots else { throw .malformedReply(reason: "the module has \(count) slots") }
      if count == 0 { return [] }
      var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
      let room = count
      let result = try answer("C_GetSlotList", unsafe functions.C_GetSlotList?(CK_BBOOL(CK_TRUE), &slots, &count))
      if result == CKR_BUFFER_TOO_SMALL { continue }
      try check("C_GetSlotList", result)
      guard count <= room else {
        throw .malformedReply(reason: "C_GetSlotList wrote more slots than there was room for")
      }
      return Array(slots.prefix(Int(count)))
    }
    throw .busy
  }
}

/// The text of a field that is filled up with blanks (section 3.2: CK_TOKEN_INFO), or, against the rule, with zeros.
private func text(_ field: UnsafeRawBufferPointer) -> String {
  var bytes = unsafe Array(field)
  while let last = bytes.last, last == UInt8(ascii: " ") || last == 0 { bytes.removeLast() }
  return String(decoding: bytes, as: UTF8.self)
}
