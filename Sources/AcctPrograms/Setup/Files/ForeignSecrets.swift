import Secrets
import Text

/// The places in another program's settings that look like secrets: values by their names, the users and passwords of
/// addresses, tokens by how they begin, and long runs of random characters.
enum ForeignSecrets {
  /// The places in a line, in order, in a time that grows with its length alone.
  static func places(in line: Span<UInt8>) -> [Range<Int>] {
    let brace = line.run(from: 0, of: { $0 != UInt8(ascii: "{") }).upperBound
    var places: [Range<Int>] = []
    var position = 0
    // A run is judged once, where it begins: it may have many names.
    var run = 0..<0
    while position < line.count {
      let name = line.run(from: position, of: \.isName)
      guard !name.isEmpty else {
        position += 1
        continue
      }
      let isNewRun = position >= run.upperBound
      if isNewRun { run = line.run(from: position, of: \.isBase64) }
      let place: Range<Int>? =
        if let value = value(of: name, line, isFlow: brace < name.lowerBound) {
          value
        } else if isNewRun, isRandom(run, line) {
          run
        } else if isToken(name, line) {
          name
        } else {
          credentials(behind: name.upperBound, line)
        }
      if let place { places.append(place) }
      position = place?.upperBound ?? name.upperBound
    }
    return places
  }

  /// The ends of the names of secrets.
  private static let names = words(
    "token password passwd passphrase passcode pass pwd pw secret key-data key extraheader authorization cookie _auth"
  )
  /// Whole names of secrets; a list of variables has a variable's name beside `value`, often in another line.
  private static let wholeNames = words("auth value")
  /// The ends of the names of keys that are no secrets.
  private static let publicNames = words("publickey public_key public-key signingkey hostkey")

  private static func words(_ text: String) -> [[UInt8]] {
    text.utf8.split(separator: UInt8(ascii: " ")).map(Array.init)
  }

  /// The value of a setting, or of an option, whose name is that of a secret.
  private static func value(of name: Range<Int>, _ line: Span<UInt8>, isFlow: Bool) -> Range<Int>? {
    var start = line.run(from: name.upperBound, of: { "\"' \t\\".utf8.contains($0) }).upperBound
    let isOption = name.count > 2 && line[name.lowerBound] == 0x2D && line[name.lowerBound + 1] == 0x2D
    let isAssigned = start < line.count && ":=".utf8.contains(line[start])
    guard start < line.count, isAssigned || isOption && start > name.upperBound, isSecret(name, line) else {
      return nil
    }
    let isMember = isAssigned && line[start] == UInt8(ascii: ":")
    if isAssigned { start = line.run(from: start + 1, of: { " \t\\".utf8.contains($0) }).upperBound }
    guard start < line.count, !"[{|>".utf8.contains(line[start]) else { return nil }
    let isQuoted = "\"'".utf8.contains(line[start])
    let quote = line[start]
    if isQuoted { start += 1 }
    var end = start
    while end < line.count, line[end] != 0x0A, line[end] != 0x0D {
      if isQuoted ? line[end] == quote : isFlow && isMember && ",}".utf8.contains(line[end]) { break }
      if !isAssigned, "\"' \t,".utf8.contains(line[end]) { break }
      end += isQuoted && line[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    end = min(end, line.count)
    guard start < end, !line.ends(name, with: Array("key".utf8)) || !isPath(start..<end, line) else { return nil }
    return start..<end
  }

  private static func isSecret(_ name: Range<Int>, _ line: Span<UInt8>) -> Bool {
    let isWhole = wholeNames.contains { $0.count == name.count && line.ends(name, with: $0) }
    guard isWhole || names.contains(where: { line.ends(name, with: $0) }) else { return false }
    return !publicNames.contains { line.ends(name, with: $0) }
  }

  /// Returns `true` for the place of a file, in which a key is often kept.
  private static func isPath(_ value: Range<Int>, _ line: Span<UInt8>) -> Bool {
    "/~.$%".utf8.contains(line[value.lowerBound])
  }

  /// The user and password of an address whose scheme ends at a position; a user that is a plain name is none.
  private static func credentials(behind scheme: Int, _ line: Span<UInt8>) -> Range<Int>? {
    guard scheme + 3 < line.count, line.string(scheme..<scheme + 3) == "://" else { return nil }
    let authority = line.run(from: scheme + 3, of: { !"/\"' \t\r\n".utf8.contains($0) })
    guard let end = authority.last(where: { line[$0] == UInt8(ascii: "@") }), authority.lowerBound < end
    else { return nil }
    let user = line.run(from: authority.lowerBound, of: { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "@") })
    guard isPlain(user, line) else { return authority.lowerBound..<end }
    return user.upperBound + 1 < end ? user.upperBound + 1..<end : nil
  }

  /// Returns `true` for a name that no program has made: few letters, and no digit.
  private static func isPlain(_ user: Range<Int>, _ line: Span<UInt8>) -> Bool {
    user.count <= 16 && user.allSatisfy { line[$0].isName && line[$0].kind != .digit }
  }

  /// Returns `true` for a run that only a program has made.
  private static func isRandom(_ run: Range<Int>, _ line: Span<UInt8>) -> Bool {
    guard run.count >= 32 else { return false }
    var (hasUpper, hasLower, hasDigit, isHexadecimal) = (false, false, false, true)
    for index in run {
      switch line[index].kind {
      case .upper: hasUpper = true
      case .lower: hasLower = true
      case .digit: hasDigit = true
      case .sign: break
      }
      isHexadecimal = isHexadecimal && (line[index].isHexadecimal || line[index] == UInt8(ascii: "-"))
    }
    return hasDigit && (hasUpper && hasLower || isHexadecimal)
  }

  /// Returns `true` for a word that begins as the tokens of a known server do, and is as long as they are.
  private static func isToken(_ word: Range<Int>, _ line: Span<UInt8>) -> Bool {
    prefixes.contains { prefix in
      word.count >= prefix.count + 16 && prefix.indices.allSatisfy { line[word.lowerBound + $0] == prefix[$0] }
    }
  }

  private static let prefixes = words("ghp_ gho_ ghs_ github_pat_ glpat- npm_ pypi- sk_live_ hvs. xoxb- eyJhbGci")
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
  fileprivate var isHexadecimal: Bool { hexadecimalValue != nil }
}

extension Span<UInt8> {
  /// The bytes of one kind from a position on.
  fileprivate func run(from start: Int, of isKind: (UInt8) -> Bool) -> Range<Int> {
    var end = start
    while end < count, isKind(self[end]) { end += 1 }
    return start..<end
  }

  /// Returns `true` if a range ends with a word in small letters, in either case.
  fileprivate func ends(_ range: Range<Int>, with word: [UInt8]) -> Bool {
    guard range.count >= word.count else { return false }
    let start = range.upperBound - word.count
    return word.indices.allSatisfy { index in
      let byte = self[start + index]
      return (byte.kind == .upper ? byte | 0x20 : byte) == word[index]
    }
  }
}

extension String {
  /// A value of another program's settings, in which possible secrets are hidden.
  package var withoutSecrets: String {
    let lines = TextLines(Secret(self))
    return lines.places.indices.map(lines.shown).joined()
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
