import AcctModel
package import Secrets

/// A `.netrc` as curl(1) reads it: words, in double quotes where they contain spaces.
package enum NetrcFile {
  /// - Throws: ``MigrationFlaw/line(_:)`` where a quote does not end.
  package static func logins(in contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    try contents.withBytes { bytes throws(MigrationFlaw) in
      var reader = NetrcReader(position: 0)
      var found = FoundLogins()
      var entry: NetrcEntry?
      while let word = try reader.word(bytes) {
        switch word.plainText?.lowercased() {
        case "machine":
          entry?.end(&found)
          entry = NetrcEntry(machine: try reader.word(bytes)?.plainText ?? "")
        case "default":
          entry?.end(&found)
          entry = NetrcEntry(machine: nil)
        case "login": entry?.login = try reader.word(bytes)
        case "password": entry?.password = try reader.word(bytes)
        case "account": _ = try reader.word(bytes)
        case "macdef": reader.skipMacro(bytes)
        default: break
        }
      }
      entry?.end(&found)
      return found
    }
  }

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
  var login: Secret?
  var password: Secret?

  func end(_ found: inout FoundLogins) {
    guard let machine else {
      if password != nil { found.skip("default", .anyHost) }
      return
    }
    guard let password, password.count > 0 else {
      found.skip(machine, .noSecret)
      return
    }
    var user: String?
    if let login {
      user = login.plainText
      guard user != nil else {
        found.skip(machine, .notText)
        return
      }
    }
    do throws(ParseError) {
      let origin = try Origin(.https, authority: machine)
      found.add(
        FoundLogin(place: origin.authority, user: user, origins: [origin], form: .password, secret: .value(password))
      )
    } catch {
      found.skip(machine, SkippedLogin.Reason(error))
    }
  }
}

private struct NetrcReader {
  var position: Int

  /// The next word; `nil` at the end.
  ///
  /// A line that begins with `#` is a comment.
  mutating func word(_ bytes: Span<UInt8>) throws(MigrationFlaw) -> Secret? {
    var isLineStart = position == 0 || bytes[position - 1] == 0x0A
    while position < bytes.count {
      let byte = bytes[position]
      if byte == 0x0A {
        isLineStart = true
      } else if byte == UInt8(ascii: "#"), isLineStart {
        skipLine(bytes)
        continue
      } else if !isSpace(byte) {
        return byte == UInt8(ascii: "\"") ? try quoted(bytes) : plain(bytes)
      }
      position += 1
    }
    return nil
  }

  private mutating func plain(_ bytes: Span<UInt8>) -> Secret {
    let start = position
    while position < bytes.count, !isSpace(bytes[position]) { position += 1 }
    return bytes.secret(start..<position)
  }

  private mutating func quoted(_ bytes: Span<UInt8>) throws(MigrationFlaw) -> Secret {
    let start = position
    position += 1
    var end = position
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != UInt8(ascii: "\"") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    var word: [UInt8] = []
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    word.reserveCapacity(end - start)
    while position < bytes.count, bytes[position] != 0x0A {
      var byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return Secret(consuming: &word) }
      if byte == UInt8(ascii: "\\"), position < bytes.count {
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
    throw .line((0..<start).count { bytes[$0] == 0x0A } + 1)
  }

  /// A macro ends at the first empty line.
  mutating func skipMacro(_ bytes: Span<UInt8>) {
    skipLine(bytes)
    while position < bytes.count {
      let start = position
      skipLine(bytes)
      let length = position - start
      if length <= 1 || length == 2 && bytes[start] == 0x0D { return }
    }
  }

  private mutating func skipLine(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    position = min(position + 1, bytes.count)
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
