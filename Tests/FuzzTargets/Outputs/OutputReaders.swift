import StrictJSON

/// Readers of the formats that acct writes, made from their specifications and not from the writers.
enum OutputReaders {
  /// A whole text that is one string of JSON.
  static func json(_ text: [UInt8]) -> [UInt8]? {
    (try? JSON(parsing: text))?.stringValue.map { Array($0.utf8) }
  }

  /// The options of a config of curl, as its tool_parsecfg.c reads them.
  static func curlOptions(_ text: [UInt8]) -> [(name: String, parameter: [UInt8])]? {
    var options: [(name: String, parameter: [UInt8])] = []
    for line in text.split(separator: 0x0A) {
      var rest = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard !rest.contains(0), !rest.contains(0x0D) else { return nil }
      guard let first = rest.first, first != UInt8(ascii: "#") else { continue }
      let name = rest.prefix { !" \t=:".utf8.contains($0) }
      rest = rest[name.endIndex...].drop { " \t=:".utf8.contains($0) }
      guard rest.first == UInt8(ascii: "\"") else { return nil }
      guard let (parameter, end) = unquoted(rest.dropFirst(), curlEscape), end.isEmpty else { return nil }
      options.append((String(decoding: name, as: UTF8.self), parameter))
    }
    return options
  }

  private static func curlEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "v"): 0x0B
    default: byte
    }
  }

  static func curl(_ text: [UInt8]) -> [UInt8]? {
    guard let options = curlOptions(Array("key = ".utf8) + text), options.count == 1 else { return nil }
    return options[0].parameter
  }

  /// The file of curl's option `cert`; `nil` with a password, as its tool_getparam.c parts them.
  static func certificate(_ parameter: [UInt8]) -> [UInt8]? {
    var file: [UInt8] = []
    var rest = parameter[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: ":") { return nil }
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: ":") {
        rest.removeFirst()
        file.append(next)
      } else {
        file.append(byte)
      }
    }
    return file
  }

  /// The value of a label, with the escapes of the text format 0.0.4 and no others.
  static func label(_ text: [UInt8]) -> [UInt8]? {
    guard text.first == UInt8(ascii: "\""), !text.contains(0x0A) else { return nil }
    let read = unquoted(text.dropFirst()) { byte in
      switch byte {
      case UInt8(ascii: "n"): 0x0A
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): byte
      default: nil
      }
    }
    return read.flatMap { $0.rest.isEmpty ? $0.value : nil }
  }

  /// The bytes up to a quotation mark; `nil` without one, or for an escape that is none.
  private static func unquoted(
    _ text: ArraySlice<UInt8>,
    _ escape: (UInt8) -> UInt8?
  ) -> (value: [UInt8], rest: ArraySlice<UInt8>)? {
    var value: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return (value, rest) }
      if byte == UInt8(ascii: "\\") {
        guard let next = rest.popFirst(), let meant = escape(next) else { return nil }
        value.append(meant)
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  /// The one word of a command line of a POSIX shell; `nil` for several, and for characters with a meaning of their own.
  static func shellWord(_ text: [UInt8]) -> [UInt8]? {
    guard !text.isEmpty else { return nil }
    var word: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "'"):
        guard let end = rest.firstIndex(of: byte) else { return nil }
        word += rest[..<end]
        rest = rest[(end + 1)...]
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), next != 0x0A else { return nil }
        word.append(next)
      case _ where "|&;<>()$`\" \t\n*?[]#~{}!^".utf8.contains(byte): return nil
      default: word.append(byte)
      }
    }
    return word
  }

  /// An argument in the key `Exec` of a desktop entry: the escapes of a value first, then those of an argument.
  static func desktopArgument(_ text: [UInt8]) -> [UInt8]? {
    guard
      let (line, rest) = unquoted(
        ArraySlice(text.flatMap { $0 == UInt8(ascii: "\"") ? [0x01] : [$0] } + [UInt8(ascii: "\"")]),
        { $0 == UInt8(ascii: "\\") ? $0 : nil }
      ), rest.isEmpty
    else { return nil }
    var words = line.map { $0 == 0x01 ? UInt8(ascii: "\"") : $0 }[...]
    var argument: [UInt8]
    if words.first == UInt8(ascii: "\"") {
      let marks = "\"`$\\".utf8
      guard let read = unquoted(words.dropFirst(), { marks.contains($0) ? $0 : nil }), read.rest.isEmpty else {
        return nil
      }
      // Without a backslash these mean something else between quotation marks.
      guard isEscaped(words.dropFirst().dropLast(), "`$") else { return nil }
      argument = read.value
    } else {
      guard !words.isEmpty, words.allSatisfy({ !" \t\n\"'\\><~|&;$*?#()`".utf8.contains($0) }) else { return nil }
      argument = Array(words)
    }
    words = argument[...]
    argument = []
    while let byte = words.popFirst() {
      if byte == UInt8(ascii: "%") { guard words.popFirst() == byte else { return nil } }
      argument.append(byte)
    }
    return argument
  }

  /// Returns `true` if a backslash is before each of some characters.
  private static func isEscaped(_ text: ArraySlice<UInt8>, _ characters: String) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\") {
        _ = rest.popFirst()
      } else if characters.utf8.contains(byte) {
        return false
      }
    }
    return true
  }

  /// The one value of a connection string of libpq.
  static func connectionValue(_ text: [UInt8]) -> [UInt8]? {
    guard text.first == UInt8(ascii: "'") else { return nil }
    var value: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "'") { return rest.isEmpty ? value : nil }
      guard byte == UInt8(ascii: "\\") else {
        value.append(byte)
        continue
      }
      guard let next = rest.popFirst() else { return nil }
      value.append(next)
    }
    return nil
  }

  /// A `saslname` (RFC 5801, section 4).
  static func saslName(_ text: [UInt8]) -> [UInt8]? {
    var name: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte != UInt8(ascii: ","), byte != 0 else { return nil }
      guard byte == UInt8(ascii: "=") else {
        name.append(byte)
        continue
      }
      switch String(decoding: rest.prefix(2), as: UTF8.self) {
      case "2C": name.append(UInt8(ascii: ","))
      case "3D": name.append(byte)
      default: return nil
      }
      rest = rest.dropFirst(2)
    }
    return name
  }

  /// RFC 4648, section 4, with its padding.
  static func base64(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
    for letter in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
