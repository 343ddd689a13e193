import AcctProtocol
import AcctModel
package import Secrets

/// The file of git-credential-store(1): a URL with user and password on each line.
package enum GitCredentialFile {
  /// Reads it as git does: a line ends with LF alone, and what is malformed in `%XX` stands for itself.
  package static func logins(in contents: Secret) -> FoundLogins {
    contents.withBytes { bytes in
      var found = FoundLogins()
      var (start, number) = (0, 1)
      while start < bytes.count {
        let end = bytes.first("\n", in: start..<bytes.count) ?? bytes.count
        let text = bytes.trimmed(start..<end)
        let isBlank = text.isEmpty || text.count == 1 && bytes[text.lowerBound] == 0x0D
        if !isBlank, bytes[text.lowerBound] != UInt8(ascii: "#") { read(bytes, start..<end, number, &found) }
        (start, number) = (end + 1, number + 1)
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
