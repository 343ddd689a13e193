import Secrets
import Text

/// Hexadecimal digits of a secret that pass through no text, which can't be wiped.
extension Secret {
  /// The bytes in lower-case digits.
  var hexadecimal: Secret {
    var digits: [UInt8] = []
    // In full, so that no shorter array is left behind.
    digits.reserveCapacity(2 * count)
    withBytes { bytes in
      for index in bytes.indices { digits.append(hexadecimal: bytes[index]) }
    }
    return Secret(consuming: &digits)
  }

  /// The bytes that lower-case digits spell; `nil` for anything else.
  init?(hexadecimal digits: Secret) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    let isSpelled = digits.withBytes { bytes.append(spelledBy: $0) }
    self.init(consuming: &bytes)
    guard isSpelled else { return nil }
  }
}
