import Text

/// The identifier of an account within acct: a random version-4 UUID, in lower case.
///
/// It names the account's keyring items and its file, and says nothing about who it is.
package struct AccountID: Hashable, Sendable, CustomStringConvertible {
  /// The canonical text, 36 characters.
  package let description: String

  /// Makes an identifier from 16 random bytes (RFC 9562, section 5.4).
  package init(random bytes: InlineArray<16, UInt8>) {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in 0..<16 {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      var byte = bytes[index]
      if index == 6 { byte = byte & 0x0F | 0x40 }
      if index == 8 { byte = byte & 0x3F | 0x80 }
      text.append(hexadecimal: byte)
    }
    description = String(decoding: text, as: UTF8.self)
  }

  /// Parses an identifier; upper case is accepted and lowered.
  ///
  /// - Throws: ``ParseError/accountID(_:)``.
  package init(_ text: String) throws(ParseError) {
    let bytes = text.utf8Span.span
    guard bytes.count == 36 else { throw .accountID(text) }
    var isUpper = false
    for index in bytes.indices {
      let byte = bytes[index]
      let fits =
        switch index {
        case 8, 13, 18, 23: byte == .hyphen
        case 14: byte == UInt8(ascii: "4")
        case 19: (0x38...0x39).contains(byte) || (0x61...0x62).contains(byte | 0x20)
        default: byte.hexadecimalValue != nil
        }
      guard fits else { throw .accountID(text) }
      isUpper = isUpper || byte.isASCIICapital
    }
    description = isUpper ? text.lowercased() : text
  }
}

/// The user's name for an account: 1 to 253 characters, none of them white space or control.
///
/// A name does not begin with `-` (it would read as an option, and a lone `-` is the previous
/// account), and has at most 253 bytes, as the longest handle.
package struct AccountName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses a name.
  ///
  /// - Throws: ``ParseError/accountName(_:)``.
  package init(_ text: String) throws(ParseError) {
    // Visible ASCII, which nearly all names are, needs no table.
    let isPlain = text.utf8.allSatisfy(\.isVisibleASCII)
    let usable =
      isPlain
      || text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
          .lineSeparator, .paragraphSeparator:
          false
        default: true
        }
      }
    guard !text.isEmpty, text.utf8.count <= 253, text.utf8.first != .hyphen, usable else { throw .accountName(text) }
    description = text
  }

  package static func < (left: AccountName, right: AccountName) -> Bool { left.description < right.description }
}
