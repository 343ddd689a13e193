import AcctProtocol
import AcctModel
package import Secrets

/// Cargo's `credentials.toml`: a token for crates.io, and one for each registry that its settings name.
package enum CargoCredentialsFile {
  /// - Parameters:
  ///   - contents: The file.
  ///   - settings: Cargo's `config.toml`, which has the registries' addresses.
  ///   - variable: An environment variable that cargo prefers to them; `nil` for one that is not set.
  /// - Returns: The tokens.
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func logins(
    in contents: Secret,
    settings: Secret?,
    _ variable: (_ name: String) -> String? = { _ in nil }
  ) throws(MigrationFlaw) -> FoundLogins {
    var found = FoundLogins()
    // Malformed settings name no registry; the token's own file counts.
    let known = (try? settings.map(Setting.all)) ?? nil
    let words = try Setting.all(in: contents)
    for setting in words {
      let registry: String
      switch setting.keys.count {
      case 2 where setting.keys[0] == "registry": registry = "crates-io"
      case 3 where setting.keys[0] == "registries": registry = setting.keys[1]
      default: continue
      }
      switch setting.keys.last {
      case "secret-key": found.skip(registry, .secretKey, line: setting.line)
      case "token":
        guard let token = setting.value else {
          found.skip(registry, .notText, line: setting.line)
          continue
        }
        let name = registry.uppercased().replacingHyphens
        let index =
          registry == "crates-io"
          ? "sparse+https://crates.io"
          : variable("CARGO_REGISTRIES_\(name)_INDEX")
            ?? [known, words].lazy.compactMap({ $0?.index(of: registry) }).first
        found.add(registry, token, index, line: setting.line)
      default: break
      }
    }
    return found
  }

  /// Checks cargo's `config.toml`.
  ///
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func check(settings: Secret) throws(MigrationFlaw) { _ = try Setting.all(in: settings) }

  /// Returns `true` if a file looks like one.
  package static func isLikely(_ contents: Secret) -> Bool {
    guard let settings = try? Setting.all(in: contents) else { return false }
    return settings.contains { ["registry", "registries"].contains($0.keys.first) && $0.keys.last == "token" }
  }
}

/// A key of a TOML file.
private struct Setting {
  var keys: [String]
  /// `nil` for one that is no string.
  var value: Secret?
  var line: Int

  static func all(in contents: Secret) throws(MigrationFlaw) -> [Setting] {
    try contents.withBytes { bytes throws(MigrationFlaw) in
      do throws(SettingsFlaw) {
        var (line, position) = (1, 0)
        return try TOMLOutline(bytes).entries.map { entry in
          line += (position..<entry.key.lowerBound).count { bytes[$0] == 0x0A }
          position = entry.key.lowerBound
          var scanner = TOMLScanner(position: entry.value.lowerBound)
          return Setting(keys: entry.keys, value: try? scanner.secret(bytes), line: line)
        }
      } catch .line(let line, let reason) {
        throw .line(line, reason)
      } catch {
        throw .line(1, .value)
      }
    }
  }
}

extension [Setting] {
  fileprivate func index(of registry: String) -> String? {
    first { $0.keys == ["registries", registry, "index"] }?.value?.plainText
  }
}

extension String {
  fileprivate var replacingHyphens: String { String(map { $0 == "-" ? "_" : $0 }) }
}

extension FoundLogins {
  fileprivate mutating func add(_ registry: String, _ token: Secret, _ index: String?, line: Int) {
    guard token.count > 0 else {
      skip(registry, .noSecret, line: line)
      return
    }
    guard let index else {
      skip(registry, .unknownRegistry, line: line)
      return
    }
    // The index of a sparse registry is at the server that takes the token; a git repository may be anywhere, and
    // cargo sends it no token.
    let sparse = "sparse+"
    guard index.hasPrefix(sparse) else {
      skip(registry, .gitIndex, line: line)
      return
    }
    do throws(ParseError) {
      let url = try HTTPURL(String(index.dropFirst(sparse.count)))
      let bearer = token.withBytes { bytes in
        bytes.starts(0..<bytes.count, with: "Bearer ") ? bytes.secret(7..<bytes.count) : nil
      }
      add(
        FoundLogin(
          place: registry,
          user: nil,
          origins: [url.origin],
          path: url.path.trimmedPath,
          form: bearer == nil ? .bare : .bearer,
          secret: .value(bearer ?? token),
          line: line
        )
      )
    } catch {
      skip(registry, SkippedLogin.Reason(error), line: line)
    }
  }
}
