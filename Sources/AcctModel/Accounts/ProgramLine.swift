/// A program and its arguments, to be run without a shell.
package struct ProgramLine: Equatable, Sendable {
  /// The program's name on `PATH`, or its path, and its arguments.
  package let words: [String]

  /// The most bytes of a line.
  package static let limit = 4096

  /// Splits a line as a shell does, and expands nothing.
  ///
  /// Blanks and line ends separate words. Single quotes keep everything; double quotes keep all but a backslash before
  /// `"`, `\`, `$` or a backquote; a backslash outside of quotes keeps the next character.
  ///
  /// - Throws: ``ParseError/programLine``.
  package init(_ line: String) throws(ParseError) {
    guard line.utf8.count <= Self.limit, !line.utf8.contains(0) else { throw .programLine }
    var words: [String] = []
    var word: String?
    var rest = line.unicodeScalars[...]
    func add(_ character: Unicode.Scalar) {
      var grown = word ?? ""
      grown.unicodeScalars.append(character)
      word = grown
    }
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r":
        if let ended = word.take() { words.append(ended) }
      case "'", "\"":
        word = word ?? ""
        var isClosed = false
        while let inner = rest.popFirst() {
          if inner == character {
            isClosed = true
            break
          }
          if inner == "\\", character == "\"", let next = rest.first, ["\"", "\\", "$", "`"].contains(next) {
            add(rest.removeFirst())
          } else {
            add(inner)
          }
        }
        guard isClosed else { throw .programLine }
      case "\\":
        guard let next = rest.popFirst() else { throw .programLine }
        add(next)
      default: add(character)
      }
    }
    if let ended = word { words.append(ended) }
    try self.init(words)
  }

  /// Checks words that are split already.
  ///
  /// - Throws: ``ParseError/programLine``.
  package init(_ words: [String]) throws(ParseError) {
    let bytes = words.reduce(0) { $0 + $1.utf8.count + 1 }
    guard words.first?.isEmpty == false, bytes <= Self.limit + 1, !words.contains(where: { $0.utf8.contains(0) })
    else { throw .programLine }
    self.words = words
  }

  /// The program.
  package var program: String { words[0] }
  /// The arguments behind the program's name.
  package var arguments: [String] { Array(words.dropFirst()) }
}
