package import Secrets
import StrictJSON

/// The credentials helper in the CLI configuration of Terraform and OpenTofu, in HCL.
package enum TerraformConfig {
  /// The program in Terraform's folder of plugins.
  package static let plugin = "#!/bin/sh\nexec acct helper terraform \"$@\"\n"
  private static let block = "credentials_helper"
  /// As it is written into the file.
  private static let own = "\(block) \"acct\" {}\n"

  /// Has Terraform ask acct.
  ///
  /// - Parameter contents: The file; `nil` if there is none.
  /// - Returns: The changed file; `nil` if Terraform asks acct already.
  /// - Throws: ``SettingsFlaw``; ``SettingsFlaw/otherHelper(_:)`` if it asks another one.
  package static func adding(to contents: Secret?) throws(SettingsFlaw) -> EditedSettings? {
    let contents = contents ?? Secret("")
    return try contents.withBytes { bytes throws(SettingsFlaw) in
      if let helper = try helper(in: bytes) {
        guard helper.name == "acct" else { throw .otherHelper(helper.name) }
        return nil
      }
      var text = own
      if bytes.count > 0 { text = (bytes[bytes.count - 1] == 0x0A ? "\n" : "\n\n") + text }
      return EditedSettings(bytes.spliced(Splice(at: bytes.count, text)), [SettingChange(block, "acct")])
    }
  }

  /// Takes the block of acct out of a file that was written since.
  ///
  /// - Returns: The changed file; `nil` if Terraform does not ask acct there any more, or the user has written into the
  ///   block.
  /// - Throws: ``SettingsFlaw``.
  package static func removing(from contents: Secret) throws(SettingsFlaw) -> Secret? {
    try contents.withBytes { bytes throws(SettingsFlaw) in
      guard let helper = try helper(in: bytes), helper.name == "acct", helper.isEmpty else { return nil }
      var range = helper.range
      if range.upperBound < bytes.count, bytes[range.upperBound] == 0x0A {
        range = range.lowerBound..<(range.upperBound + 1)
      }
      // The empty line before it was added with it.
      let start = range.lowerBound
      if start > 1, bytes[start - 1] == 0x0A, bytes[start - 2] == 0x0A { range = (start - 1)..<range.upperBound }
      return bytes.spliced(Splice(range, ""))
    }
  }

  /// The hosts whose tokens Terraform keeps in a file of its own.
  package static func logins(in contents: Secret) -> [String] {
    let json = try? contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue?["credentials"]?.objectValue ?? [:]).map(\.name)
  }

  /// The first block of a helper.
  private struct Helper {
    var name: String
    var range: Range<Int>
    /// `true` if nothing stands between its braces.
    var isEmpty: Bool
  }

  private static func helper(in bytes: Span<UInt8>) throws(SettingsFlaw) -> Helper? {
    var scanner = HCLScanner()
    var depth = 0
    var head: [(text: String, start: Int)] = []
    var found: (name: String, start: Int)?
    var isEmpty = true
    while let token = try scanner.next(bytes) {
      switch token.text {
      case "{":
        if depth == 0, head.first?.text == block {
          guard head.count == 2, found == nil else { throw .form(block) }
          found = (head[1].text.hasPrefix("\"") ? String(head[1].text.dropFirst()) : head[1].text, head[0].start)
          isEmpty = true
        }
        // JSON, which Terraform reads, too.
        guard depth > 0 || !head.isEmpty else { throw .form(block) }
        if depth > 0 { isEmpty = false }
        depth += 1
        head = []
      case "}":
        depth -= 1
        guard depth >= 0 else { throw .line(scanner.line, .unopened("}")) }
        if depth == 0, let found {
          return Helper(name: found.name, range: found.start..<scanner.position, isEmpty: isEmpty)
        }
      case "\n": head = []
      default: if depth == 0 { head.append(token) } else { isEmpty = false }
      }
    }
    guard depth == 0 else { throw .line(scanner.line, .missing("}")) }
    return nil
  }
}

/// The words, strings and braces of a text in HCL.
private struct HCLScanner {
  private(set) var position = 0
  private(set) var line = 1

  /// The next of them; a string with its first quotation mark, so that it is never taken for a brace.
  ///
  /// - Throws: ``SettingsFlaw/line(_:_:)``, ``SettingsFlaw/form(_:)``.
  mutating func next(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> (text: String, start: Int)? {
    while position < bytes.count {
      let start = position
      let byte = bytes[start]
      position += 1
      switch byte {
      case 0x0A:
        line += 1
        return ("\n", start)
      case UInt8(ascii: "#"): skipLine(bytes)
      case UInt8(ascii: "/") where next(is: byte, bytes): skipLine(bytes)
      case UInt8(ascii: "/") where next(is: UInt8(ascii: "*"), bytes): try skipComment(bytes)
      case UInt8(ascii: "\""): return (try string(bytes), start)
      case UInt8(ascii: "<") where next(is: byte, bytes): throw .form("<<")
      case UInt8(ascii: "{"), UInt8(ascii: "}"): return (byte == UInt8(ascii: "{") ? "{" : "}", start)
      case 0x20, 0x09, 0x0D: break
      default:
        while position < bytes.count, !" \t\r\n{}\"#".utf8.contains(bytes[position]) { position += 1 }
        return (bytes.string(start..<position), start)
      }
    }
    return nil
  }

  private func next(is byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    position < bytes.count && bytes[position] == byte
  }

  private mutating func skipLine(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] != 0x0A { position += 1 }
  }

  private mutating func skipComment(_ bytes: Span<UInt8>) throws(SettingsFlaw) {
    position += 1
    while position + 1 < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
        position += 2
        return
      }
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
    throw .line(line, .comment)
  }

  private mutating func string(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> String {
    let start = position
    while position < bytes.count, bytes[position] != 0x0A {
      if bytes[position] == UInt8(ascii: "\"") {
        position += 1
        return bytes.string((start - 1)..<(position - 1))
      }
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    throw .line(line, .quote)
  }
}
