import AcctModel
import AcctProtocol
package import Secrets

/// The lists of hosts and users that gh and glab keep in YAML.
///
/// A token that is not in the file is in the program's keyring.
package enum HostsFile {
  /// gh's `hosts.yml`: a host, and in it `user` and its token, or since 2.40 several `users`, each with its own.
  ///
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func gh(_ contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    let file = try contents.withBytes { bytes throws(MigrationFlaw) in try YAMLKeys(bytes) }
    var found = FoundLogins()
    for host in file.keys(below: []) {
      let active = file.text(host, "user")
      let token = file.secret(host, "oauth_token")
      var users = file.keys(below: [host, "users"])
      let namesUsers = !users.isEmpty
      if let active, !users.contains(active) { users.append(active) }
      var logins: [(user: String?, secret: Secret?)] = users.map { user in
        (user, file.secret(host, "users", user, "oauth_token") ?? (user == active ? token : nil))
      }
      if active == nil, let token, !logins.contains(where: { $0.secret == token }) { logins.append((nil, token)) }
      for (user, secret) in logins {
        do throws(ParseError) {
          found.add(
            FoundLogin(
              place: host,
              user: user,
              origins: [try Origin(.https, authority: host), try Origin(.https, authority: "api.\(host)")],
              form: .bearer,
              secret: secret.map { .value($0) } ?? .gh(isActive: user == active),
              isOneOfSeveral: namesUsers
            )
          )
        } catch {
          found.skip(host, SkippedLogin.Reason(error))
        }
      }
    }
    return found
  }

  /// glab's `config.yml`: below `hosts` a host, and in it `user`, `token`, `api_host`, `api_protocol`.
  ///
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func glab(_ contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    let file = try contents.withBytes { bytes throws(MigrationFlaw) in try YAMLKeys(bytes) }
    var found = FoundLogins()
    for host in file.keys(below: ["hosts"]) {
      func text(_ key: String) -> String? { file.text("hosts", host, key) }
      let token = file.secret("hosts", host, "token")
      guard token != nil || text("use_keyring") == "true" else { continue }
      guard text("is_oauth2") != "true", file.secret("hosts", host, "oauth2_refresh_token") == nil else {
        found.skip(host, .oauth(provider: host == "gitlab.com" ? "gitlab" : "gitlab:\(host)"))
        continue
      }
      let scheme = text("api_protocol").flatMap(Origin.Scheme.init) ?? .https
      do throws(ParseError) {
        var origins = [try Origin(scheme, authority: text("api_host") ?? host)]
        if let own = try? Origin(scheme, authority: host), own != origins[0] { origins.insert(own, at: 0) }
        let secret = token.map { FoundLogin.SecretPlace.value($0) } ?? .glab
        found.add(FoundLogin(place: host, user: text("user"), origins: origins, form: .bearer, secret: secret))
      } catch {
        found.skip(host, SkippedLogin.Reason(error))
      }
    }
    return found
  }
}

extension FoundLogins {
  /// Leaves out the logins whose secret the program would have to give: it has its own file, which need not be this one.
  package mutating func keepWritten(of program: OtherProgram) {
    for login in logins where login.secret.isInKeyring {
      skip(login.user.map { "\($0)@\(login.place)" } ?? login.place, .inKeyring(program))
    }
    logins.removeAll(where: \.secret.isInKeyring)
  }
}

extension FoundLogin.SecretPlace {
  fileprivate var isInKeyring: Bool {
    switch self {
    case .gh, .glab: true
    case .value, .dockerHelper, .oidcAgent: false
    }
  }
}

/// The keys of a file in YAML with the text of their values: mappings in blocks and in braces, with plain and quoted
/// scalars.
///
/// gh and glab take the text of a scalar whatever its tag is, so `null` is a text, and one behind `!!null`, which glab
/// writes before a token, is one. Of values in several lines the keys alone are read.
struct YAMLKeys {
  /// In the order of the file; a value is `nil` if it is empty, or not one text.
  private(set) var values: [(keys: [String], value: Secret?)] = []
  private var position = 0
  private var open: [(indent: Int, key: String)] = []

  private static let mostKeys = 1000
  private static let mostDepth = 20

  /// The first line that no reader of YAML accepts.
  private var flaw: (line: Int, reason: LineFlaw)?

  /// - Throws: ``MigrationFlaw/line(_:_:)`` for a quote that does not end in its line, or a tab in an indentation.
  init(_ bytes: Span<UInt8>) throws(MigrationFlaw) {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    while position < bytes.count, values.count < Self.mostKeys {
      readLine(bytes)
      skipLine(bytes)
    }
    if let flaw { throw .line(flaw.line, flaw.reason) }
  }

  /// The keys directly below others, each once.
  func keys(below parents: [String]) -> [String] {
    var keys: [String] = []
    for (path, _) in values where path.count > parents.count && path.starts(with: parents) {
      let key = path[parents.count]
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }

  /// The value of a key, of which the first counts; `nil` if it is empty.
  func secret(_ keys: String...) -> Secret? { values.first { $0.keys == keys }?.value }

  /// The same, as text.
  func text(_ keys: String...) -> String? { values.first { $0.keys == keys }?.value?.plainText }

  private mutating func readLine(_ bytes: Span<UInt8>) {
    let start = position
    while byte(bytes) == 0x20 { position += 1 }
    var indent = position - start
    // An entry of a list may be as far in as the key that it belongs to.
    while byte(bytes) == UInt8(ascii: "-"), isBlank(bytes, position + 1) {
      while let last = open.last, last.indent > indent || last.indent == indent && last.key == "-" { open.removeLast() }
      open.append((indent, "-"))
      position += 1
      skipBlanks(bytes)
      indent = position - start
    }
    if byte(bytes) == UInt8(ascii: "{") { readBraces(bytes, of: open.map(\.key)) }
    if byte(bytes) == 0x09 {
      skipBlanks(bytes)
      if byte(bytes) != nil, byte(bytes) != UInt8(ascii: "#") { note(.tab, bytes) }
    }
    guard let first = byte(bytes), !"#%[".utf8.contains(first), let key = key(bytes, inBraces: false) else { return }
    while let last = open.last, last.indent >= indent { open.removeLast() }
    open.append((indent, key))
    readValue(bytes, of: open.map(\.key), indent)
  }

  /// Reads a key and its colon; `nil` if there is none.
  private mutating func key(_ bytes: Span<UInt8>, inBraces: Bool) -> String? {
    let isQuoted = byte(bytes).map { "\"'".utf8.contains($0) } ?? false
    guard let key = scalar(bytes, inBraces: inBraces, isKey: true)?.plainText else { return nil }
    skipBlanks(bytes)
    guard byte(bytes) == UInt8(ascii: ":"), isQuoted && inBraces || endsPlain(bytes, position + 1, inBraces) else {
      return nil
    }
    position += 1
    return key
  }

  private mutating func readValue(_ bytes: Span<UInt8>, of keys: [String], _ indent: Int) {
    skipBlanks(bytes)
    skipProperties(bytes)
    switch byte(bytes) {
    case UInt8(ascii: "{"):
      values.append((keys, nil))
      readBraces(bytes, of: keys)
    case UInt8(ascii: "|"), UInt8(ascii: ">"):
      values.append((keys, nil))
      skipBlock(bytes, deeperThan: indent)
    case UInt8(ascii: "["), UInt8(ascii: "*"), UInt8(ascii: "#"): values.append((keys, nil))
    default: values.append((keys, scalar(bytes, inBraces: false, isKey: false)))
    }
  }

  /// Reads `{key: value, …}`, which may go over several lines.
  private mutating func readBraces(_ bytes: Span<UInt8>, of keys: [String]) {
    position += 1
    while values.count < Self.mostKeys, keys.count < Self.mostDepth {
      while let next = byte(bytes, orBreak: true), next <= 0x20 || ",#".utf8.contains(next) {
        if next == UInt8(ascii: "#") { skipLine(bytes) } else { position += 1 }
      }
      guard byte(bytes) != UInt8(ascii: "}"), let key = key(bytes, inBraces: true) else { break }
      skipBlanks(bytes)
      skipProperties(bytes)
      if byte(bytes) == UInt8(ascii: "{") {
        values.append((keys + [key], nil))
        readBraces(bytes, of: keys + [key])
      } else {
        values.append((keys + [key], scalar(bytes, inBraces: true, isKey: false)))
      }
    }
    if byte(bytes) == UInt8(ascii: "}") { position += 1 }
  }

  /// Reads the text of a scalar; `nil` if it is empty, or does not end in its line.
  private mutating func scalar(_ bytes: Span<UInt8>, inBraces: Bool, isKey: Bool) -> Secret? {
    guard let first = byte(bytes) else { return nil }
    if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") { return quoted(bytes, first) }
    let start = position
    while let next = byte(bytes) {
      if next == UInt8(ascii: "#"), position > start, bytes[position - 1] == 0x20 || bytes[position - 1] == 0x09 {
        break
      }
      if inBraces, ",{}[]".utf8.contains(next) { break }
      if isKey || inBraces, next == UInt8(ascii: ":"), endsPlain(bytes, position + 1, inBraces) { break }
      position += 1
    }
    let text = bytes.trimmed(start..<position)
    return text.isEmpty ? nil : bytes.secret(text)
  }

  private mutating func quoted(_ bytes: Span<UInt8>, _ quote: UInt8) -> Secret? {
    position += 1
    var end = position
    while end < bytes.count, bytes[end] != 0x0A { end += 1 }
    var text: [UInt8] = []
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    text.reserveCapacity(end - position)
    var reason = LineFlaw.quote
    while let next = byte(bytes) {
      position += 1
      if next == quote {
        guard quote == UInt8(ascii: "'"), byte(bytes) == quote else {
          return text.isEmpty ? nil : Secret(consuming: &text)
        }
        position += 1
      }
      if next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        let isEnd = byte(bytes) == nil
        guard let character = escaped(bytes) else {
          if !isEnd { reason = .escape }
          break
        }
        text += String(character).utf8
      } else {
        text.append(next)
      }
    }
    wipe(&text)
    note(reason, bytes)
    return nil
  }

  private mutating func note(_ reason: LineFlaw, _ bytes: Span<UInt8>) {
    flaw = flaw ?? (bytes.line(of: position), reason)
  }

  /// The character of an escape sequence (YAML 1.2, section 5.7).
  private mutating func escaped(_ bytes: Span<UInt8>) -> Unicode.Scalar? {
    guard let letter = byte(bytes) else { return nil }
    position += 1
    let scalar = Unicode.Scalar(letter)
    switch scalar {
    case "x": return hexadecimal(bytes, 2)
    case "u": return hexadecimal(bytes, 4)
    case "U": return hexadecimal(bytes, 8)
    case "\t", " ", "\"", "/", "\\": return scalar
    default: break
    }
    let letters = "0abtnvfreN_LP".unicodeScalars
    guard let index = letters.firstIndex(of: scalar) else { return nil }
    let meanings = "\0\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1B}\u{85}\u{A0}\u{2028}\u{2029}".unicodeScalars
    return meanings.dropFirst(letters.distance(from: letters.startIndex, to: index)).first
  }

  private mutating func hexadecimal(_ bytes: Span<UInt8>, _ count: Int) -> Unicode.Scalar? {
    guard position + count <= bytes.count, let text = bytes.text(position..<position + count) else { return nil }
    position += count
    return UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
  }

  /// Tags and anchors, which stand before a value.
  private mutating func skipProperties(_ bytes: Span<UInt8>) {
    while let first = byte(bytes), "!&".utf8.contains(first) {
      while !isBlank(bytes, position) { position += 1 }
      skipBlanks(bytes)
    }
  }

  private mutating func skipBlanks(_ bytes: Span<UInt8>) {
    while let next = byte(bytes), next == 0x20 || next == 0x09 { position += 1 }
  }

  private mutating func skipLine(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    position = min(position + 1, bytes.count)
  }

  /// Goes to the end of a text in lines that are further in than their key.
  private mutating func skipBlock(_ bytes: Span<UInt8>, deeperThan indent: Int) {
    while true {
      skipLine(bytes)
      let start = position
      while byte(bytes) == 0x20 { position += 1 }
      guard start < bytes.count, position - start > indent || byte(bytes) == nil else {
        // The caller goes to the next line.
        position = start - 1
        return
      }
    }
  }

  /// The next byte; `nil` at the end of the line, unless breaks are wanted.
  private func byte(_ bytes: Span<UInt8>, orBreak: Bool = false) -> UInt8? {
    guard position < bytes.count else { return nil }
    let isBreak = bytes[position] == 0x0A || bytes[position] == 0x0D
    return isBreak && !orBreak ? nil : bytes[position]
  }

  private func isBlank(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    index >= bytes.count || [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index])
  }

  /// `true` if a colon before this byte ends a plain key.
  private func endsPlain(_ bytes: Span<UInt8>, _ index: Int, _ inBraces: Bool) -> Bool {
    isBlank(bytes, index) || inBraces && ",{}[]".utf8.contains(bytes[index])
  }
}
