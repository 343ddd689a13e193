package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
package import ArgumentParser
import Secrets
import StrictJSON

/// `acct add --from`: the logins of other programs, shown or added.
package struct AddFrom {
  private let context: Context

  package init(_ context: Context) { self.context = context }

  /// Shows the logins of all programs.
  package func list() throws(EngineError) -> ExitStatus {
    let found = FindLogins(context.engine).all()
    let accounts = found.flatMap(\.accounts)
    guard !accounts.isEmpty else { throw .migration(.nothing(nil)) }
    try show(accounts)
    for program in found { warn(program, saysSkipped: false) }
    return .done
  }

  /// Adds the logins of one program, or shows them.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - word: A login, else a file of the program's kind; what has a slash in it is a file. All logins by default.
  ///   - options: The options of each account.
  ///   - isDry: `true` to add nothing.
  /// - Returns: The status of the first login that was not added.
  /// - Throws: ``EngineError`` for all of them, or for the only one.
  package func add(
    _ program: OtherProgram,
    _ word: String?,
    _ options: AddAccount.Options,
    isDry: Bool
  ) async throws(EngineError) -> ExitStatus {
    let logins = FindLogins(context.engine)
    var path = word.flatMap { $0.contains("/") && !$0.contains("://") ? $0 : nil }
    var found = try logins.find(in: program, at: path)
    if let word, path == nil, found.named(word).isEmpty, logins.isFile(word) {
      path = word
      found = try logins.find(in: program, at: path)
    }
    warn(found, saysSkipped: true)
    var accounts = found.accounts
    if let word, path == nil {
      accounts = found.named(word)
      guard !accounts.isEmpty || found.accounts.isEmpty else {
        throw .migration(.unknown(word, program, candidates: found.accounts.map(\.name)))
      }
    }
    guard !accounts.isEmpty else { throw .migration(.nothing(program)) }
    guard options.name == nil || accounts.count == 1 else { throw .migration(.oneNameForSeveral(program)) }
    if isDry {
      var plans: [Plan] = []
      for found in accounts { plans.append(try plan(found, options)) }
      try show(accounts, then: plans)
      return .done
    }
    return try await take(accounts, of: found, options)
  }

  private func take(
    _ accounts: [FoundAccount],
    of all: FoundAccounts,
    _ options: AddAccount.Options
  ) async throws(EngineError) -> ExitStatus {
    try await AddAccount(context.engine).prepare()
    var options = options
    var added: [(found: FoundAccount, account: Account)] = []
    var status = ExitStatus.done
    for found in accounts {
      do throws(EngineError) {
        let result = try await TakeLogin(context: context.engine).take(found, options)
        // The first becomes active.
        options.activates = false
        added.append((found, result.account))
        context.noticeIfExpired(result.account)
        if !context.options.json { context.notice(result.words) }
      } catch {
        // The others do not depend on it; a person's Ctrl-C and a keyring that fails concern all.
        guard accounts.count > 1, error.isOfOneLogin else { throw error }
        var message = ErrorMessage(error)
        message.text = "\(printable(found.name)) was not added: \(message.text)"
        _ = ErrorReport(world: context.world, asJSON: context.options.json).write(message)
        if status == .done { status = message.status }
      }
    }
    if context.options.json { try context.output(envelope(["accounts": try context.json(of: added.map(\.account))])) }
    for line in endings(of: added.map(\.found), among: all) { context.notice(line) }
    return status
  }

  /// Shows logins, and what would be done with each, if that is asked.
  private func show(_ accounts: [FoundAccount], then plans: [Plan]? = nil) throws(EngineError) {
    if context.options.json {
      let found = accounts.enumerated().map { index, account in account.json(wouldRenew: plans?[index].isRenewal) }
      try context.output(envelope(["found": .array(found)]))
      return
    }
    let table = Table(
      columns: [
        Table.Column("PROGRAM"), Table.Column("ACCOUNT"), Table.Column("FOR", floor: 12, rank: 1),
        Table.Column("FILE", floor: 8, rank: 0),
      ] + (plans == nil ? [] : [Table.Column("THEN")]),
      rows: accounts.enumerated().map { index, found in
        [
          Cell(found.program.rawValue), Cell(found.name, .strong),
          Cell(found.login.places.map(\.description).joined(separator: " ")), Cell(found.path, .faint),
        ] + (plans.map { [Cell($0[index].words)] } ?? [])
      }
    )
    try context.output(table.lines(on: context.screen))
  }

  /// The words for the fate of a login.
  private struct Plan {
    var words: String
    /// `true` if an account that is there would get it; `nil` if none would, or if its program must be asked first.
    var isRenewal: Bool?
  }

  private func plan(_ found: FoundAccount, _ options: AddAccount.Options) throws(EngineError) -> Plan {
    do throws(EngineError) {
      guard let known = try TakeLogin(context: context.engine).plan(found, options) else {
        return Plan(words: options.name.map { "added as \($0)" } ?? "added", isRenewal: false)
      }
      guard known.kind == .static else { return Plan(words: "renews \(known.name), if it is its session") }
      return Plan(words: "replaces the token of \(known.name)", isRenewal: true)
    } catch {
      guard error.isOfOneLogin else { throw error }
      return Plan(words: "not added: \(ErrorMessage(error).text)", isRenewal: nil)
    }
  }

  private func warn(_ found: FoundAccounts, saysSkipped: Bool) {
    for path in found.exposed {
      context.notice("other users can read \(printable(path)): `chmod 600 \(shellWord(path))`")
    }
    for (path, login) in found.skipped where saysSkipped {
      let line = login.line.map { "line \($0): " } ?? ""
      context.notice("\(printable(path)): \(line)\(printable(login.name)) is left out: \(words(for: login.reason))")
    }
  }
}

extension FoundAccounts {
  /// The logins that a word names: by their own names, else by user or host.
  fileprivate func named(_ word: String) -> [FoundAccount] {
    let exact = accounts.filter { $0.name == word }
    return exact.isEmpty ? accounts.filter { $0.isNamed(word) } : exact
  }
}

extension FoundAccount {
  fileprivate func json(wouldRenew: Bool?) -> JSON {
    [
      "program": .string(program.rawValue),
      "name": .string(name),
      "user": JSON(login.user),
      "place": .string(login.place),
      "origins": .array(login.origins.map { .string($0.description) }),
      "places": .array(login.places.map { .string($0.description) }),
      "file": .string(path),
      "line": JSON(login.line.map(Int64.init)),
      "wouldRenew": wouldRenew.map { .bool($0) } ?? .null,
    ]
  }
}

extension EngineError {
  /// `true` if it says nothing about other logins.
  fileprivate var isOfOneLogin: Bool {
    switch self {
    case .told, .input, .inputToken, .server, .network, .signIn, .authorization, .selection: true
    default: false
    }
  }
}

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

/// The logins of another program, to become accounts.
package struct FromOptions: ParsableArguments {
  /// The value of `--from`.
  package enum Source: String, CaseIterable, ExpressibleByArgument {
    case gh, glab, git, netrc, docker, cargo
    case oidcAgent = "oidc-agent"
    /// A `.env` file, which is no program's own.
    case env
    /// The list of all programs' logins.
    case list

    /// `nil` for the list, and for a `.env` file.
    package var program: OtherProgram? { OtherProgram(rawValue: rawValue) }
  }

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "Add the logins that another program keeps, or the keys of a .env file; list shows what there is.",
      valueName: "program"
    )
  )
  package var source: Source?

  @Flag(help: "With --from, show what would be added, and add nothing.")
  package var dryRun = false

  @Flag(help: "With --from env, write the file with references in place of the keys.")
  package var rewrite = false

  @Flag(help: "With --from env, put the keys back in the place of the references.")
  package var undo = false

  @Flag(help: "With --from env, ask nothing before the file is changed.")
  package var yes = false

  package init() {}

  package func validate() throws {
    guard source != nil || !dryRun else { throw ValidationError("--dry-run needs --from") }
    guard source == .env || !rewrite && !undo && !yes else {
      throw ValidationError("--rewrite, --undo and --yes need --from env")
    }
    guard !rewrite || !undo else { throw ValidationError("--rewrite and --undo exclude each other") }
  }
}

extension [String] {
  /// The command line with the value that `acct add --from` without one stands for: the list.
  package var completingFrom: [String] {
    guard first == "add" else { return self }
    let end = firstIndex(of: "--") ?? endIndex
    guard let index = self[..<end].lastIndex(of: "--from") else { return self }
    guard index + 1 == end || self[index + 1].hasPrefix("-") else { return self }
    return self[...index] + [FromOptions.Source.list.rawValue] + self[(index + 1)...]
  }
}

/// A program that keeps credentials of its own, which acct can take over.
package enum OtherProgram: String, CaseIterable, Hashable, Sendable {
  case gh, glab, git, netrc, docker, cargo
  case oidcAgent = "oidc-agent"
}
