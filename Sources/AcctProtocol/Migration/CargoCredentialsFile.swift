import AcctModel
package import Secrets

/// Cargo's `credentials.toml`: a token for crates.io, and one for each registry that its settings name.
package enum CargoCredentialsFile {
  /// - Parameters:
  ///   - contents: The file.
  ///   - settings: Cargo's `config.toml`, which has the registries' addresses.
  /// - Returns: The tokens.
  /// - Throws: ``MigrationFlaw/line(_:)``.
  package static func logins(in contents: Secret, settings: Secret?) throws(MigrationFlaw) -> FoundLogins {
    var found = FoundLogins()
    var indexes: [String: String] = [:]
    for (keys, value) in try strings(settings) where keys.count == 3 && keys[0] == "registries" && keys[2] == "index" {
      indexes[keys[1]] = value.plainText
    }
    for (keys, token) in try strings(contents) {
      if keys == ["registry", "token"] {
        found.add("crates-io", token, at: "https://crates.io")
      } else if keys.count == 3, keys[0] == "registries", keys[2] == "token" {
        // The index of a sparse registry is at the server that takes the token; a git repository may be anywhere.
        let sparse = "sparse+"
        guard let index = indexes[keys[1]], index.hasPrefix(sparse) else {
          found.skip(keys[1], .unknownRegistry)
          continue
        }
        found.add(keys[1], token, at: String(index.dropFirst(sparse.count)))
      }
    }
    return found
  }

  /// Returns `true` if a file looks like one.
  package static func isLikely(_ contents: Secret) -> Bool {
    guard let strings = try? strings(contents) else { return false }
    return strings.contains { ["registry", "registries"].contains($0.keys.first) && $0.keys.last == "token" }
  }

  private static func strings(_ contents: Secret?) throws(MigrationFlaw) -> [(keys: [String], value: Secret)] {
    guard let contents else { return [] }
    return try contents.withBytes { bytes throws(MigrationFlaw) in try TOMLStrings(bytes).values }
  }
}

extension FoundLogins {
  fileprivate mutating func add(_ registry: String, _ token: Secret, at address: String) {
    guard token.count > 0 else {
      skip(registry, .noSecret)
      return
    }
    do throws(ParseError) {
      let origin = try HTTPURL(address).origin
      let bearer = token.withBytes { bytes in
        bytes.starts(0..<bytes.count, with: "Bearer ") ? bytes.secret(7..<bytes.count) : nil
      }
      add(
        FoundLogin(
          place: registry,
          user: nil,
          origins: [origin],
          form: bearer == nil ? .bare : .bearer,
          secret: .value(bearer ?? token)
        )
      )
    } catch {
      skip(registry, SkippedLogin.Reason(error))
    }
  }
}
