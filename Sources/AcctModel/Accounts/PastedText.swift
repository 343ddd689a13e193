import Text

extension String {
  /// An identifier that was typed or pasted, without the invisible characters that copying adds.
  ///
  /// Web pages and chats wrap handles in marks for the direction of text, and put characters without a width between
  /// them; none can be a part of an identifier. Blanks are dropped at both ends alone: inside they part two words.
  package var withoutCopyMarks: String {
    // The fast path, for nearly every text.
    guard !utf8.allSatisfy(\.isVisibleASCII) else { return self }
    let visible = unicodeScalars.filter { scalar in
      scalar.properties.generalCategory != .format && !scalar.properties.isDefaultIgnorableCodePoint
    }
    let start = visible.drop(while: \.properties.isWhitespace)
    let end = start.lastIndex { !$0.properties.isWhitespace }
    return end.map { String(String.UnicodeScalarView(start[...$0])) } ?? ""
  }
}
