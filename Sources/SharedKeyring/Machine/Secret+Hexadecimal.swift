import Secrets

/// Hexadecimal digits of a secret that pass through no text, which can't be wiped.
extension Secret {
  /// The bytes in lower-case digits.
  var hexadecimal: Secret {
    var digits: [UInt8] = []
    // In full, so that no shorter array is left behind.
    digits.reserveCapacity(2 * count)
    withBytes { bytes in
      for index in bytes.indices {
        for half in [bytes[index] >> 4, bytes[index] & 15] {
          digits.append(half + (half < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
      }
    }
    return Secret(consuming: &digits)
  }

  /// The bytes that lower-case digits spell; `nil` for anything else.
  init?(hexadecimal digits: Secret) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    let isSpelled = digits.withBytes { digits in
      guard digits.count.isMultiple(of: 2) else { return false }
      for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = Self.half(digits[index]), let low = Self.half(digits[index + 1]) else { return false }
        bytes.append(high << 4 | low)
      }
      return true
    }
    self.init(consuming: &bytes)
    guard isSpelled else { return nil }
  }

  private static func half(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
