/// Header field values as text that keeps every byte.
///
/// A field value may hold bytes beyond ASCII in any encoding (`obs-text`, RFC 9110, section 5.5). UTF-8
/// stays as it is. A byte that is not part of UTF-8 becomes a private-use character of its own: U+10FF00
/// plus the byte. UTF-8 of these characters themselves is taken byte by byte, so that the mapping is
/// reversible.
package enum FieldText {
  private static let mark: UInt32 = 0x10FF00
  /// The first byte of every UTF-8 sequence of a character from U+100000 on.
  private static let leadOfPrivateUse: UInt8 = 0xF4

  /// The text of a field's bytes.
  package static func text(_ bytes: Span<UInt8>) -> String {
    // If it is not UTF-8, it is taken apart below.
    if !bytes.indices.contains(where: { bytes[$0] == leadOfPrivateUse }), let text = try? UTF8Span(validating: bytes) {
      return String(copying: text)
    }
    var text = String.UnicodeScalarView()
    var rest = bytes.indices.map { bytes[$0] }[...]
    while let first = rest.first {
      if let scalar = scalar(at: rest) {
        text.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        text.append(Unicode.Scalar(mark + UInt32(first)) ?? "\u{FFFD}")
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// The text of a field's bytes.
  package static func text(_ bytes: [UInt8]) -> String { text(bytes.span) }

  /// The bytes that a text was made from.
  package static func bytes(_ text: String) -> [UInt8] {
    guard text.utf8.contains(leadOfPrivateUse) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.value >= mark {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  /// The character that begins here; `nil` where there is none, or where it is one that stands for a byte.
  private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let width =
      switch bytes.first ?? 0 {
      case 0xF0...: 4
      case 0xE0...: 3
      case 0xC0...: 2
      default: 1
      }
    guard let text = String(validating: bytes.prefix(width), as: UTF8.self),
      let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, scalar.value < mark
    else { return nil }
    return scalar
  }
}
