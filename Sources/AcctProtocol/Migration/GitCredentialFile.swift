import AcctModel
package import Secrets

/// The file of git-credential-store(1): a URL with user and password on each line.
package enum GitCredentialFile {
  /// Reads it as git does: what is no such line is passed over.
  package static func logins(in contents: Secret) -> FoundLogins {
    contents.withBytes { bytes in
      var found = FoundLogins()
      for (index, line) in bytes.lineRanges.enumerated() {
        let line = bytes.trimmed(line)
        guard !line.isEmpty, bytes[line.lowerBound] != UInt8(ascii: "#") else { continue }
        read(bytes, line, "line \(index + 1)", &found)
      }
      return found
    }
  }

  private static func read(_ bytes: Span<UInt8>, _ line: Range<Int>, _ name: String, _ found: inout FoundLogins) {
    let scheme: Origin.Scheme
    let start: Int
    if bytes.starts(line, with: "https://") {
      (scheme, start) = (.https, line.lowerBound + 8)
    } else if bytes.starts(line, with: "http://") {
      (scheme, start) = (.http, line.lowerBound + 7)
    } else {
      found.skip(name, .address)
      return
    }
    let end = (start..<line.upperBound).first { "/?#".utf8.contains(bytes[$0]) } ?? line.upperBound
    guard let at = bytes.first("@", in: start..<end), let colon = bytes.first(":", in: start..<at) else {
      found.skip(name, .noSecret)
      return
    }
    guard let password = bytes.percentDecoded(colon + 1..<at), let user = bytes.percentDecoded(start..<colon)?.plainText
    else {
      found.skip(name, .notText)
      return
    }
    guard password.count > 0 else {
      found.skip(name, .noSecret)
      return
    }
    do throws(ParseError) {
      guard let host = bytes.percentDecoded(at + 1..<end)?.plainText else { throw .url }
      let origin = try Origin(scheme, authority: host)
      found.add(
        FoundLogin(place: origin.authority, user: user, origins: [origin], form: .password, secret: .value(password))
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
