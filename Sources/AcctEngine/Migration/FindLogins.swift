package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Finds the logins that other programs keep; it reads their files, and runs none of them.
package struct FindLogins: Sendable {
  private let files: ForeignFiles

  package init(_ context: EngineContext) { files = context.world.foreignFiles }

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
  ///   - path: A file of its kind; `nil` for its own.
  /// - Returns: The logins; none if it has no file.
  /// - Throws: ``MigrationError/file(_:)``, ``MigrationError/malformed(path:_:_:)``.
  package func find(in program: OtherProgram, at path: String?) throws(EngineError) -> FoundAccounts {
    var found = FoundAccounts()
    if program == .oidcAgent {
      let folders = path.map { [$0] } ?? files.places(.credentials(program))
      for folder in folders where found.accounts.isEmpty { found.accounts = sessions(in: folder) }
      return found
    }
    for place in path.map({ [$0] }) ?? files.places(.credentials(program)) {
      let contents: ForeignContents
      do { contents = try files.read(place, Self.limit) } catch {
        if path == nil, case .missing = error { continue }
        throw .migration(.file(error))
      }
      try add(contents, of: program, at: place, isNamed: path != nil, to: &found)
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
    to found: inout FoundAccounts
  ) throws(EngineError) {
    var logins: FoundLogins
    do throws(MigrationFlaw) { logins = try self.logins(in: contents.secret, of: program) } catch {
      throw .migration(.malformed(path: path, program, error))
    }
    if isNamed { logins.keepWritten() }
    // Of two files, the program takes the first.
    let known = Set(found.accounts.map(\.name))
    let accounts = logins.logins.map { FoundAccount(program: program, login: $0, path: path, isFileNamed: isNamed) }
    found.accounts += accounts.filter { !known.contains($0.name) }
    found.skipped += logins.skipped.map { (path, $0) }
    if contents.isExposed { found.exposed.append(path) }
  }

  private func logins(in contents: Secret, of program: OtherProgram) throws(MigrationFlaw) -> FoundLogins {
    switch program {
    case .gh: try HostsFile.gh(contents)
    case .glab: try HostsFile.glab(contents)
    case .git: GitCredentialFile.logins(in: contents)
    case .netrc: try NetrcFile.logins(in: contents)
    case .docker: try DockerConfigFile.logins(in: contents)
    case .cargo: try CargoCredentialsFile.logins(in: contents, settings: cargoSettings())
    case .oidcAgent: FoundLogins()
    }
  }

  /// Without them, only the token of crates.io has an address.
  private func cargoSettings() -> Secret? {
    for place in files.places(.cargoSettings) {
      do { return try files.read(place, Self.limit).secret } catch { continue }
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
