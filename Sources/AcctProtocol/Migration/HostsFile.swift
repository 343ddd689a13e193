import AcctModel
package import Secrets

/// The lists of hosts and users that gh and glab keep, in a small part of YAML: keys and plain values, indented.
///
/// The tokens in them are not read: the programs are asked, since they keep some in the keyring.
package enum HostsFile {
  /// gh's `hosts.yml`: a host, and in it `user`, or since 2.40 several `users`.
  package static func gh(_ contents: Secret) -> FoundLogins {
    let values = contents.withBytes { YAMLKeys($0).values }
    var found = FoundLogins()
    for host in values.filter({ $0.keys.count == 1 }).map({ $0.keys[0] }) {
      let active = values.first { $0.keys == [host, "user"] }?.value
      var users = values.filter { $0.keys.count == 3 && $0.keys.starts(with: [host, "users"]) }.map { $0.keys[2] }
      if let active, !users.contains(active), !active.isEmpty { users.append(active) }
      for user in users {
        do throws(ParseError) {
          let origin = try Origin(.https, authority: host)
          let api = try Origin(.https, authority: "api.\(host)")
          found.add(
            FoundLogin(
              place: host,
              user: user,
              origins: [origin, api],
              form: .bearer,
              secret: .gh(isActive: user == active)
            )
          )
        } catch {
          found.skip(host, SkippedLogin.Reason(error))
        }
      }
    }
    return found
  }

  /// glab's `config.yml`: below `hosts` a host, and in it `user`, `api_host`, `api_protocol`.
  package static func glab(_ contents: Secret) -> FoundLogins {
    let values = contents.withBytes { YAMLKeys($0).values }
    var found = FoundLogins()
    func value(_ host: String, _ key: String) -> String? {
      let value = values.first { $0.keys == ["hosts", host, key] }?.value
      return value?.isEmpty == false ? value : nil
    }
    for host in values.filter({ $0.keys.count == 2 && $0.keys[0] == "hosts" }).map({ $0.keys[1] }) {
      let hasToken = values.contains { $0.keys == ["hosts", host, "token"] && $0.value != "" }
      guard hasToken || value(host, "use_keyring") == "true" else { continue }
      let scheme = value(host, "api_protocol").flatMap(Origin.Scheme.init) ?? .https
      do throws(ParseError) {
        var origins = [try Origin(scheme, authority: value(host, "api_host") ?? host)]
        if let own = try? Origin(scheme, authority: host), own != origins[0] { origins.insert(own, at: 0) }
        found.add(FoundLogin(place: host, user: value(host, "user"), origins: origins, form: .bearer, secret: .glab))
      } catch {
        found.skip(host, SkippedLogin.Reason(error))
      }
    }
    return found
  }
}

/// The keys of a YAML file, with the plain values of those that are no secret.
private struct YAMLKeys {
  /// A value is `nil` where it is a secret, or not on the line; empty where there is none.
  private(set) var values: [(keys: [String], value: String?)] = []

  private static let secrets: Set<String> = [
    "oauth_token", "token", "oauth2_refresh_token", "job_token", "client_secret",
  ]
  private static let mostKeys = 1000

  init(_ bytes: Span<UInt8>) {
    var open: [(indent: Int, key: String)] = []
    for line in bytes.lineRanges {
      let text = bytes.trimmed(line)
      guard let first = text.first.map({ bytes[$0] }), !"#-%".utf8.contains(first), values.count < Self.mostKeys,
        let colon = text.first(where: {
          bytes[$0] == UInt8(ascii: ":") && ($0 + 1 == text.upperBound || bytes[$0 + 1] == 0x20)
        }), let key = bytes.text(text.lowerBound..<colon).map(unquoted), !key.isEmpty
      else { continue }
      let indent = text.lowerBound - line.lowerBound
      while let last = open.last, last.indent >= indent { open.removeLast() }
      open.append((indent, key))
      let rest = bytes.trimmed(colon + 1..<text.upperBound)
      var value: String? = ""
      if Self.secrets.contains(key) {
        // glab writes `!!null` before a token.
        let isEmpty =
          rest.isEmpty || bytes.starts(rest, with: "\"\"") || rest.count == 6 && bytes.starts(rest, with: "!!null")
        value = isEmpty ? "" : nil
      } else if !rest.isEmpty {
        value = bytes.text(rest).map(unquoted)
      }
      values.append((open.map(\.key), value))
    }
  }
}

/// A key or a value without the quotes around it.
private func unquoted(_ text: String) -> String {
  for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
    return String(text.dropFirst().dropLast())
  }
  return text
}
