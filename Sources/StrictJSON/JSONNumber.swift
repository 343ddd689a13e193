import Text

/// A JSON number, kept as it was written so that reading it loses nothing.
package struct JSONNumber: Equatable, Sendable {
  /// The number's text (RFC 8259, section 6).
  package let literal: String

  /// A number that was not read but counted.
  package init(_ integer: Int64) { literal = String(integer) }

  /// Parses text that is a JSON number from end to end; `nil` for anything else.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard Self.length(in: bytes.span, from: 0) == .number(end: bytes.count) else { return nil }
    literal = text
  }

  /// Takes over text that the reader has found to be a number.
  init(checked literal: String) { self.literal = literal }

  /// The nearest double, or `nil` where that is not finite, as for `1e400`.
  package var double: Double? {
    guard let value = Double(literal), value.isFinite else { return nil }
    return value
  }

  /// The exact value, or `nil` if it has a fraction or does not fit.
  ///
  /// `1.50e1` is 15, and `1.0000000000000000001` is no integer although its ``double`` is one.
  package var integer: Int64? {
    if let plain = Int64(literal) { return plain }
    let parts = literal.utf8.split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    guard let exponent = parts.count == 2 ? Int(String(parts[1]) ?? "") : 0 else { return nil }
    let mantissa = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1)
    let fraction = mantissa.count == 2 ? mantissa[1] : parts[0][parts[0].endIndex...]
    var digits = Array(mantissa[0]) + Array(fraction)
    if digits.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == .minus }) { return 0 }
    let (sum, overflow) = exponent.subtractingReportingOverflow(fraction.count)
    guard !overflow else { return nil }
    var scale = sum
    while scale < 0, digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      scale += 1
    }
    guard (0..<19).contains(scale), var value = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
    for _ in 0..<scale {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      value = product
    }
    return value
  }

  /// The result of a search for a number at the place where one should begin.
  enum Scan: Equatable {
    /// A number, and the offset behind its last character.
    case number(end: Int)
    /// The beginning of a number, and then the end of the text.
    case truncated
    case unexpected(offset: Int)
  }

  /// Finds how far a number reaches (RFC 8259, section 6): no `+`, no leading zero, digits on
  /// both sides of the point.
  static func length(in bytes: Span<UInt8>, from start: Int) -> Scan {
    var position = start

    func byte() -> UInt8? { position < bytes.count ? bytes[position] : nil }
    func isDigit() -> Bool { byte()?.isASCIIDigit ?? false }
    func failure() -> Scan { position < bytes.count ? .unexpected(offset: position) : .truncated }
    func skipDigits() -> Bool {
      let first = position
      while isDigit() { position += 1 }
      return position > first
    }

    if byte() == .minus { position += 1 }
    if byte() == UInt8(ascii: "0") {
      // A digit after it is not part of the number, and is an unexpected byte for the caller.
      position += 1
    } else if !skipDigits() {
      return failure()
    }
    if byte() == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() else { return failure() }
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      position += 1
      if byte() == UInt8(ascii: "+") || byte() == .minus { position += 1 }
      guard skipDigits() else { return failure() }
    }
    return .number(end: position)
  }
}
