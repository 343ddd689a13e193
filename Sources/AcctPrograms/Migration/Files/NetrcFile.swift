import AcctModel
import AcctProtocol
package import Secrets

/// A `.netrc` as curl(1) reads it: words of a line, in double quotes where they contain spaces.
package enum NetrcFile {
  /// - Throws: ``MigrationFlaw/line(_:_:)`` where a quote does not end.
  package static func logins(in contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    try contents.withBytes { bytes throws(MigrationFlaw) in
      var found = FoundLogins()
      var entries = NetrcEntries()
      for (line, number) in zip(bytes.lines, 1...) {
        if line.count > longestLine {
          found.skip("line \(number)", .tooLong)
        } else {
          try entries.read(NetrcLine(position: line.lowerBound, end: line.upperBound, number: number), bytes)
        }
      }
      entries.endEntry()
      found.add(entries.all)
      return found
    }
  }

  /// In bytes, without its break; curl passes over a longer one.
  private static let longestLine = 4094

  /// Returns `true` if a file looks like one.
  package static func isLikely(_ contents: Secret) -> Bool {
    guard let found = try? logins(in: contents) else { return false }
    return !found.logins.isEmpty
  }
}

/// The words after `machine` or `default`, up to the next of them.
private struct NetrcEntry {
  /// `nil`: any host.
  var machine: String?
  var line: Int
  /// `nil` if it has none, or an empty one.
  var login: Secret?
  var password: Secret?
}

extension FoundLogins {
  fileprivate mutating func add(_ entries: [NetrcEntry]) {
    let named = Set(entries.filter { $0.login != nil }.compactMap(\.machine))
    // Of entries of one host and user, curl takes the first.
    var first: [String: Int] = [:]
    for entry in entries {
      guard let machine = entry.machine else {
        if entry.login != nil || entry.password != nil { skip("default", .anyHost, line: entry.line) }
        continue
      }
      let user = entry.login
      guard entry.password != nil || user?.hasTokenPrefix == true else {
        skip(machine, .noSecret, line: entry.line)
        continue
      }
      guard user != nil || !named.contains(machine) else {
        skip(machine, .noUser, line: entry.line)
        continue
      }
      if user?.hasTokenPrefix != true {
        let key = "\(machine) \(user?.plainText ?? "")"
        if let line = first[key] {
          skip(machine, .after("line \(line)"), line: entry.line)
          continue
        }
        first[key] = entry.line
      }
      do throws(ParseError) {
        let origin = try Origin(.https, authority: machine)
        add(user, entry.password ?? Secret(""), at: ([origin], nil), named: origin.authority, line: entry.line)
      } catch {
        skip(machine, SkippedLogin.Reason(error), line: entry.line)
      }
    }
  }
}

/// curl's states, as if every machine were the one that it looks for.
private struct NetrcEntries {
  private(set) var all: [NetrcEntry] = []
  private var entry: NetrcEntry?
  private var state = State.keyword

  private enum State {
    /// A word that means something.
    case keyword
    case machine
    case login, password
    /// Up to an empty line.
    case macro
  }

  mutating func read(_ line: NetrcLine, _ bytes: Span<UInt8>) throws(MigrationFlaw) {
    var line = line
    if state == .macro {
      guard line.position == line.end || bytes[line.position] == 0x0D else { return }
      state = .keyword
    }
    while let word = try line.word(bytes) { take(word, line.number) }
  }

  mutating func endEntry() {
    if let entry { all.append(entry) }
    entry = nil
  }

  private mutating func take(_ word: Secret, _ line: Int) {
    // A value is missing: curl takes this word for it, and only where it looks for another machine for what it is.
    let isMissing =
      (state == .login || state == .password) && word.count == 7 && word.plainText?.lowercased() == "machine"
    switch isMissing ? .keyword : state {
    case .macro: if word.count == 0 { state = .keyword }
    case .machine:
      entry = NetrcEntry(machine: word.plainText?.lowercased() ?? "", line: line)
      state = .keyword
    case .login:
      entry?.login = word.count == 0 ? nil : word
      hasLogin = true
      endIfWhole()
    case .password:
      entry?.password = word
      endIfWhole()
    case .keyword: takeKeyword(word.plainText?.lowercased(), line)
    }
  }

  /// A whole entry has `login` and `password`, even an empty one; what follows it is no part of it.
  private var hasLogin = false

  private mutating func endIfWhole() {
    state = .keyword
    guard hasLogin, entry?.password != nil else { return }
    endEntry()
  }

  private mutating func takeKeyword(_ word: String?, _ line: Int) {
    switch word {
    case "machine": (state, hasLogin) = (.machine, false)
    case "default": hasLogin = false
    case "macdef" where entry == nil:
      state = .macro
      return
    case "login" where entry != nil:
      state = .login
      return
    case "password" where entry != nil:
      state = .password
      return
    default: return
    }
    endEntry()
    if word == "default" { entry = NetrcEntry(machine: nil, line: line) }
  }
}

/// The words of a line that are not read yet.
private struct NetrcLine {
  var position: Int
  /// The end of its text; the break is a word of its own where a space stands before it.
  let end: Int
  let number: Int

  /// The next word; `nil` at the end, and before a comment.
  mutating func word(_ bytes: Span<UInt8>) throws(MigrationFlaw) -> Secret? {
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    guard position <= end else { return nil }
    guard position < end else {
      position += 1
      return Secret("")
    }
    switch bytes[position] {
    case UInt8(ascii: "#"): return nil
    case UInt8(ascii: "\""): return try quoted(bytes)
    default:
      let start = position
      while position < end, !isSpace(bytes[position]) { position += 1 }
      guard (start..<position).allSatisfy({ bytes[$0] != 0 }) else { throw .line(number, .zero) }
      defer { position += 1 }
      return bytes.secret(start..<position)
    }
  }

  private mutating func quoted(_ bytes: Span<UInt8>) throws(MigrationFlaw) -> Secret {
    var word: [UInt8] = []
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    word.reserveCapacity(end - position)
    position += 1
    while position < end, bytes[position] != 0 {
      var byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        // curl passes over the character behind it, whatever that is.
        position += 1
        return Secret(consuming: &word)
      }
      if byte == UInt8(ascii: "\\") {
        guard position < end else { break }
        byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        default: break
        }
      }
      word.append(byte)
    }
    wipe(&word)
    throw .line(number, position < end ? .zero : .quote)
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// The file of git-credential-store(1): a URL with user and password on each line.
package enum GitCredentialFile {
  /// Reads it as git does: a line ends with LF alone, and what is malformed in `%XX` stands for itself.
  package static func logins(in contents: Secret) -> FoundLogins {
    contents.withBytes { bytes in
      var found = FoundLogins()
      for (line, number) in zip(bytes.lines, 1...) {
        let text = bytes.trimmed(line)
        let isBlank = text.isEmpty || text.count == 1 && bytes[text.lowerBound] == 0x0D
        if !isBlank, bytes[text.lowerBound] != UInt8(ascii: "#") { read(bytes, line, number, &found) }
      }
      return found
    }
  }

  private static func read(_ bytes: Span<UInt8>, _ line: Range<Int>, _ number: Int, _ found: inout FoundLogins) {
    let name = "line \(number)"
    let scheme: Origin.Scheme
    let start: Int
    if bytes.starts(line, with: "https://") {
      (scheme, start) = (.https, line.lowerBound + 8)
    } else if bytes.starts(line, with: "http://") {
      (scheme, start) = (.http, line.lowerBound + 7)
    } else {
      let colon = bytes.first(":", in: line) ?? line.upperBound
      found.skip(name, bytes.starts(colon..<line.upperBound, with: "://") ? .scheme : .address)
      return
    }
    let end = (start..<line.upperBound).first { "/?#".utf8.contains(bytes[$0]) } ?? line.upperBound
    guard let at = bytes.first("@", in: start..<end), let colon = bytes.first(":", in: start..<at) else {
      found.skip(name, .noSecret)
      return
    }
    do throws(ParseError) {
      guard let host = bytes.percentDecoded(at + 1..<end).plainText else { throw .url }
      let origin = try Origin(scheme, authority: host)
      // No URL that git asks for has a query for a path.
      let isPath = end < line.upperBound && bytes[end] == UInt8(ascii: "/")
      let path = isPath ? bytes.percentDecoded(end..<line.upperBound).plainText?.trimmedPath : nil
      found.add(
        bytes.percentDecoded(start..<colon),
        bytes.percentDecoded(colon + 1..<at),
        at: ([origin], path),
        named: origin.authority,
        line: number
      )
    } catch {
      found.skip(name, SkippedLogin.Reason(error))
    }
  }

  /// Returns `true` if a file looks like one.
  package static func isLikely(_ contents: Secret) -> Bool { !logins(in: contents).logins.isEmpty }
}

extension SkippedLogin.Reason {
  /// Why nothing can be sent to an address.
  init(_ error: ParseError) { self = error == .refusedURL(.plainHTTP) ? .plainHTTP : .address }
}
