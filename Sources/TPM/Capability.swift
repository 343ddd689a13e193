import AcctModel

/// The capabilities and properties that a TPM is asked for (TPM_CAP and TPM_PT, TPM 2.0 Library, Part 2 §6.12 and
/// §6.13).
enum Capability {
  /// TPM_CAP_HANDLES.
  static let handles: UInt32 = 1
  /// TPM_CAP_TPM_PROPERTIES.
  static let properties: UInt32 = 6

  /// TPM_PT_MANUFACTURER, before TPM_PT_VENDOR_STRING_1 to _4: four characters each.
  static let manufacturer: UInt32 = 0x105
  /// TPM_PT_PERMANENT, the first of those that change: bit 9 is inLockout (TPMA_PERMANENT, Part 2 §8.6).
  static let permanent: UInt32 = 0x200
  /// TPM_PT_LOCKOUT_COUNTER: wrong passwords so far.
  static let lockoutCounter: UInt32 = 0x20E
  /// TPM_PT_MAX_AUTH_FAIL: how many it allows.
  static let maxAuthFail: UInt32 = 0x20F
}

/// The state of a TPM's lockout after wrong PINs.
struct LockoutState {
  let isLockedOut: Bool
  let triesLeft: Int

  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)`` if one of the properties is not there.
  init(_ properties: [UInt32: UInt32]) throws(HardwareKeyFailure) {
    guard let permanent = properties[Capability.permanent], let counter = properties[Capability.lockoutCounter],
      let limit = properties[Capability.maxAuthFail]
    else { throw .malformedReply(reason: "a property is missing") }
    isLockedOut = permanent & 1 << 9 != 0
    triesLeft = isLockedOut || counter >= limit ? 0 : Int(limit - counter)
  }
}

/// The words of a maker, of its numbers: printable, with single spaces.
func makerName(_ properties: [UInt32: UInt32]) -> String {
  var words = ""
  for (place, property) in (Capability.manufacturer..<Capability.manufacturer + 5).enumerated() {
    let value = properties[property] ?? 0
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: value >> shift)
      if byte != 0 { words.unicodeScalars.append(.init((0x20..<0x7F).contains(byte) ? byte : 0x3F)) }
    }
    // The maker's name is a word of its own; the four others are pieces of one text.
    if place == 0 { words += " " }
  }
  return words.split(separator: " ").joined(separator: " ")
}
