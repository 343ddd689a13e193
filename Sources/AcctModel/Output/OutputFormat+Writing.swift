package import Secrets
import Text

extension OutputFormat {
  /// Writes a value in this format.
  ///
  /// - Returns: The value with its quotes and escapes.
  /// - Throws: ``OutputFlaw``.
  package func written(_ value: String) throws(OutputFlaw) -> String {
    guard !takesAsItIs(value.utf8Span.span) else { return value }
    var output: [UInt8] = []
    try write(value.utf8Span, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Writes text that people read as well: what they could not see is escaped for them before.
  ///
  /// - Returns: The text with its quotes and escapes.
  package func shown(_ text: String) -> String {
    // In a format that takes any text that can be seen, nothing is left to refuse.
    do { return try written(printable(text)) } catch { return "" }
  }

  /// Returns `true` if a value needs no quotes, where the format has some.
  package func isBare(_ value: String) -> Bool { isBare(value.utf8Span.span) }

  private func isBare(_ bytes: Span<UInt8>) -> Bool {
    guard let bare, bytes.count > 0 else { return false }
    return bytes.indices.allSatisfy { bytes[$0].isASCIIAlphanumeric || bare.utf8.contains(bytes[$0]) }
  }

  /// Returns `true` for a value that goes out as it is: most formats without quotes take any visible ASCII, as nearly every
  /// token is.
  private func takesAsItIs(_ bytes: Span<UInt8>) -> Bool {
    guard quote == nil, escapes.isEmpty, !rules.contains(.hasNoSpace) else { return isBare(bytes) }
    guard rules.contains(.isToken) else { return bytes.areVisible }
    return bytes.count > 0 && bytes.indices.allSatisfy { bytes[$0].isHTTPTokenCharacter }
  }

  /// Writes a secret in this format, without a copy that is not wiped.
  ///
  /// - Returns: The secret with its quotes and escapes.
  /// - Throws: ``OutputFlaw``.
  package func written(_ value: Secret) throws(OutputFlaw) -> Secret {
    try value.withBytes { bytes throws(OutputFlaw) in
      guard !takesAsItIs(bytes) else { return value }
      let text: UTF8Span
      do { text = try UTF8Span(validating: bytes) } catch { throw OutputFlaw(in: self) }
      var output: [UInt8] = []
      // Room for all of it, so that no shorter copy is left behind unwiped.
      output.reserveCapacity(bytes.count * Self.longestEscape + 2)
      do throws(OutputFlaw) { try write(text, to: &output) } catch {
        wipe(&output)
        throw error
      }
      return Secret(consuming: &output)
    }
  }

  /// The most bytes that one byte of a value becomes: those of `\u001b`.
  static let longestEscape = 6

  private func write(_ text: UTF8Span, to output: inout [UInt8]) throws(OutputFlaw) {
    guard !rules.contains(.isNotEmpty) || !text.isEmpty else { throw OutputFlaw(in: self) }
    let bytes = text.span
    let isAtEnds = bytes.count > 0 && (bytes[0] == 0x20 || bytes[bytes.count - 1] == 0x20)
    guard !rules.contains(.isTrimmed) || !isAtEnds else { throw OutputFlaw(in: self) }
    if let quote { output.append(contentsOf: quote.utf8) }
    var scalars = text.makeUnicodeScalarIterator()
    while let scalar = scalars.next() { try write(scalar, to: &output) }
    if let quote { output.append(contentsOf: quote.utf8) }
  }

  /// Writes one character.
  ///
  /// By scalars: a quotation mark under an accent is one `Character` that is no quotation mark, and ends a value.
  private func write(_ scalar: Unicode.Scalar, to output: inout [UInt8]) throws(OutputFlaw) {
    if let escape = escapes.first(where: { $0.key == scalar }) {
      output.append(contentsOf: escape.value.utf8)
    } else if rules.contains(.numbersInvisible), !scalar.isPlain {
      // Two for the surrogates of a scalar beyond the basic plane.
      for unit in scalar.utf16 {
        output.append(contentsOf: "\\u".utf8)
        output.append(hexadecimal: UInt8(unit >> 8))
        output.append(hexadecimal: UInt8(unit & 0xFF))
      }
    } else {
      guard takes(scalar) else { throw OutputFlaw(in: self) }
      output.append(contentsOf: scalar.utf8)
    }
  }

  /// Returns `true` if a character stands for itself.
  private func takes(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar != "\0" else { return false }
    if rules.contains(.takesControls) { return true }
    if rules.contains(.isToken) { return scalar.isASCII && UInt8(scalar.value).isHTTPTokenCharacter }
    guard scalar != " " || !rules.contains(.hasNoSpace) else { return false }
    return (0x20..<0x7F).contains(scalar.value) || !rules.contains(.isASCII) && !scalar.isControl
  }
}

extension Span<UInt8> {
  /// `true` for ASCII that can be seen, with spaces between it.
  fileprivate var areVisible: Bool {
    guard count > 0, self[0] != 0x20, self[count - 1] != 0x20 else { return false }
    // Without a way out in the middle, sixteen bytes are looked at in one step.
    var odd: UInt8 = 0
    for index in indices { odd |= self[index] &- 0x20 > 0x5E ? 1 : 0 }
    return odd == 0
  }
}

extension Unicode.Scalar {
  /// `true` for a control character, also of the second half (U+0080 to U+009F), and a separator of lines.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
