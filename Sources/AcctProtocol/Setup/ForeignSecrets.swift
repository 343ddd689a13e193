/// The places in another program's settings that look like secrets: values by their names, passwords in addresses, and long
/// runs of random characters.
enum ForeignSecrets {
  /// The places in a line, in order.
  static func places(in line: Span<UInt8>) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var position = 0
    while position < line.count {
      let name = line.run(from: position, of: \.isName)
      guard !name.isEmpty else {
        position += 1
        continue
      }
      let opaque = line.run(from: position, of: \.isBase64)
      if let value = value(of: name, line) {
        places.append(value)
        position = value.upperBound
      } else if isOpaque(opaque, line) {
        places.append(opaque)
        position = opaque.upperBound
      } else if let password = password(behind: name.upperBound, line) {
        places.append(password)
        position = password.upperBound
      } else {
        position = name.upperBound
      }
    }
    return places
  }

  /// The ends of the names of secrets.
  private static let names = [
    "token", "password", "passwd", "passphrase", "secret", "secret_key", "secret_access_key", "key-data", "api-key",
    "api_key", "apikey", "private-key", "private_key", "extraheader", "authorization", "cookie",
  ]

  /// The value of a setting whose name is that of a secret.
  private static func value(of name: Range<Int>, _ line: Span<UInt8>) -> Range<Int>? {
    let text = line.string(name).lowercased()
    guard ["auth", "_auth", "pass"].contains(text) || names.contains(where: text.hasSuffix) else { return nil }
    var start = name.upperBound
    while start < line.count, "\"' \t".utf8.contains(line[start]) { start += 1 }
    guard start < line.count, ":=".utf8.contains(line[start]) else { return nil }
    start += 1
    while start < line.count, " \t".utf8.contains(line[start]) { start += 1 }
    guard start < line.count, !"[{|>".utf8.contains(line[start]) else { return nil }
    let isQuoted = "\"'".utf8.contains(line[start])
    let quote = line[start]
    if isQuoted { start += 1 }
    let isFlow = line.run(from: 0, of: { $0 != UInt8(ascii: "{") }).upperBound < name.lowerBound
    var end = start
    while end < line.count, line[end] != 0x0A, line[end] != 0x0D {
      if isQuoted ? line[end] == quote : isFlow && ",}".utf8.contains(line[end]) { break }
      end += isQuoted && line[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    end = min(end, line.count)
    return start < end ? start..<end : nil
  }

  /// The password of an address whose scheme ends at a position.
  private static func password(behind scheme: Int, _ line: Span<UInt8>) -> Range<Int>? {
    guard scheme + 3 < line.count, line.string(scheme..<scheme + 3) == "://" else { return nil }
    let authority = line.run(from: scheme + 3, of: { !"/\"' \t\r\n".utf8.contains($0) })
    guard let end = authority.last(where: { line[$0] == UInt8(ascii: "@") }),
      let colon = (authority.lowerBound..<end).first(where: { line[$0] == UInt8(ascii: ":") }), colon + 1 < end
    else { return nil }
    return colon + 1..<end
  }

  /// Returns `true` for a run that only a program has made.
  private static func isOpaque(_ run: Range<Int>, _ line: Span<UInt8>) -> Bool {
    guard run.count >= 32 else { return false }
    let kinds = Set(run.map { line[$0].kind })
    return kinds.isSuperset(of: [.upper, .lower, .digit]) || run.allSatisfy { line[$0].isHexadecimal }
  }
}

private enum Kind { case upper, lower, digit, sign }

extension UInt8 {
  fileprivate var kind: Kind {
    switch self {
    case 0x30...0x39: .digit
    case 0x41...0x5A: .upper
    case 0x61...0x7A: .lower
    default: .sign
    }
  }
  fileprivate var isName: Bool { kind != .sign || "-_.".utf8.contains(self) }
  fileprivate var isBase64: Bool { kind != .sign || "-_+/=".utf8.contains(self) }
  fileprivate var isHexadecimal: Bool { kind == .digit || (0x61...0x66).contains(self) || (0x41...0x46).contains(self) }
}

extension Span<UInt8> {
  /// The bytes of one kind from a position on.
  fileprivate func run(from start: Int, of isKind: (UInt8) -> Bool) -> Range<Int> {
    var end = start
    while end < count, isKind(self[end]) { end += 1 }
    return start..<end
  }
}

extension TextLines {
  /// A line with its end, in which what may be a secret is hidden.
  func shown(_ index: Int) -> String {
    withLine(index) { line in
      var text = ""
      var position = 0
      for place in ForeignSecrets.places(in: line) {
        text += line.string(position..<place.lowerBound) + "<redacted>"
        position = place.upperBound
      }
      return text + line.string(position..<line.count)
    }
  }
}
