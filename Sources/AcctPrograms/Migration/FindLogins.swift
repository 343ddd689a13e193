package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Finds the logins that other programs keep; it reads their files, and runs none of them.
package struct FindLogins: Sendable {
  private let world: World

  package init(_ context: EngineContext) { world = context.world }

  private var files: ForeignFiles { world.foreignFiles }

  /// In bytes.
  private static let limit = 1 << 20

  /// The logins of all programs; what can't be read is passed over, and reported where its program is named.
  package func all() -> [FoundAccounts] {
    OtherProgram.allCases.compactMap { program in
      do { return try find(in: program, at: nil) } catch { return nil }
    }
  }

  /// The logins of one program.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - path: A file of its kind, beside which no other is read; `nil` for its own.
  /// - Returns: The logins; none if it has no file.
  /// - Throws: ``MigrationError/file(_:)``, ``MigrationError/malformed(path:_:_:)``.
  package func find(in program: OtherProgram, at path: String?) throws(EngineError) -> FoundAccounts {
    var found = FoundAccounts()
    if program == .oidcAgent {
      let folders = path.map { [$0] } ?? world.places(of: .credentials(program))
      for folder in folders where found.accounts.isEmpty { found.accounts = sessions(in: folder) }
      return found
    }
    var first: String?
    for place in path.map({ [$0] }) ?? world.places(of: .credentials(program)) {
      let contents: ForeignContents
      do { contents = try files.read(place, Self.limit) } catch {
        if path == nil, case .missing = error { continue }
        throw .migration(.file(error))
      }
      try add(contents, of: program, at: place, isNamed: path != nil, behind: first, to: &found)
      first = first ?? place
    }
    return found
  }

  /// Returns `true` if a file has this name, even one that may not be read.
  package func isFile(_ path: String) -> Bool {
    do { _ = try files.read(path, 0) } catch {
      if case .missing = error { return false }
    }
    return true
  }

  private func add(
    _ contents: ForeignContents,
    of program: OtherProgram,
    at path: String,
    isNamed: Bool,
    behind first: String?,
    to found: inout FoundAccounts
  ) throws(EngineError) {
    var logins = try logins(in: contents.secret, of: program, at: path, isNamed)
    if isNamed { logins.keepWritten(of: program) }
    found.skipped += logins.skipped.map { (path, $0) }
    let earlier = Dictionary(found.accounts.map { ($0.name, $0.path) }) { first, _ in first }
    for login in logins.withPathsThatChoose {
      let account = FoundAccount(program: program, login: login, path: path, isFileNamed: isNamed)
      // Of two files, the program takes the first: cargo as a whole, others for each login.
      if let first = program == .cargo ? first : earlier[account.name] {
        found.skipped.append((path, SkippedLogin(name: login.place, line: login.line, reason: .after(first))))
      } else {
        found.accounts.append(account)
      }
    }
    if contents.isExposed { found.exposed.append(path) }
  }

  private func logins(
    in contents: Secret,
    of program: OtherProgram,
    at path: String,
    _ isNamed: Bool
  ) throws(EngineError) -> FoundLogins {
    let settings = program == .cargo ? try cargoSettings(beside: isNamed ? path : nil) : nil
    do throws(MigrationFlaw) {
      switch program {
      case .gh: return try HostsFile.gh(contents)
      case .glab: return try HostsFile.glab(contents)
      case .git: return GitCredentialFile.logins(in: contents)
      case .netrc: return try NetrcFile.logins(in: contents)
      case .docker: return try DockerConfigFile.logins(in: contents)
      case .cargo:
        return try CargoCredentialsFile.logins(in: contents, settings: settings) {
          isNamed ? nil : world.environment.variable($0)
        }
      case .oidcAgent: return FoundLogins()
      }
    } catch {
      throw .migration(.malformed(path: path, program, error))
    }
  }

  /// The settings beside a file of tokens, cargo's own without one: they have the addresses of registries.
  private func cargoSettings(beside path: String?) throws(EngineError) -> Secret? {
    let places = path.map { path in
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
      return ["\(folder)config", "\(folder)config.toml"]
    }
    for place in places ?? world.places(of: .cargoSettings) {
      guard let settings = try? files.read(place, Self.limit).secret else { continue }
      do throws(MigrationFlaw) { try CargoCredentialsFile.check(settings: settings) } catch {
        throw .migration(.malformed(path: place, .cargo, error))
      }
      return settings
    }
    return nil
  }

  /// The accounts of oidc-agent, which are encrypted files, each of the account's name.
  private func sessions(in folder: String) -> [FoundAccount] {
    files.names(folder).filter { !$0.hasPrefix(".") && !$0.contains(".config") && !$0.hasSuffix("~") }.sorted().map {
      name in
      let login = FoundLogin(place: name, user: nil, origins: [], form: .session, secret: .oidcAgent)
      return FoundAccount(program: .oidcAgent, login: login, path: "\(folder)/\(name)")
    }
  }
}
