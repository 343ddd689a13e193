/// Bytes as lower-case hexadecimal digits, for bytes that are no secret.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  return bytes.reduce(into: "") {
    $0.append(digits[Int($1 >> 4)])
    $0.append(digits[Int($1 & 15)])
  }
}

/// The bytes that `text` spells in lower-case hexadecimal digits, if there are exactly `count`.
package func bytes(hex text: String, count: Int) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count == 2 * count else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

private func value(of digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  default: nil
  }
}
