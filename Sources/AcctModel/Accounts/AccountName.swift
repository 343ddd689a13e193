/// What the user calls an account: 1 to 253 characters, none of them white space or control.
///
/// A name does not begin with `-` (it would read as an option, and a lone `-` is the previous
/// account), and has at most 253 bytes, as the longest handle.
package struct AccountName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses a name.
  ///
  /// - Throws: ``ParseError/accountName(_:)``.
  package init(_ text: String) throws(ParseError) {
    // What is visible ASCII needs no table; nearly all names are.
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
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
