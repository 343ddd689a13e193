package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import StrictJSON
import Text

/// `acct add --from env`: the keys of a `.env` file become accounts, and references take their place.
package struct AddFromEnv {
  private let context: Context
  private let path: String
  private let options: FromOptions

  /// - Parameters:
  ///   - context: The command's environment.
  ///   - path: The file.
  ///   - options: What is done with it.
  package init(_ context: Context, _ path: String, _ options: FromOptions) {
    self.context = context
    self.path = path
    self.options = options
  }

  /// A variable whose value is a key.
  fileprivate struct Taken {
    let entry: EnvFile.Entry
    let owner: EnvKeys.Owner
    let escapes: String
  }

  /// The variables of a file, by what is done with them.
  private struct Sorted {
    var taken: [Taken] = []
    /// Those that look like secrets, and stay as they are.
    var left: [(entry: EnvFile.Entry, reason: EnvKeys.Reason?)] = []
    var settings = 0
    var references = 0
  }

  /// Adds the keys, and prints or writes the file with references; or shows what would be done; or takes it back.
  ///
  /// - Parameter request: The options of each account.
  /// - Returns: The exit status.
  /// - Throws: ``EnvError``; ``SetupError``; ``EngineError/cancelled``; or why an account can't be stored.
  package func run(_ request: AddAccount.Options) async throws(EngineError) -> ExitStatus {
    if options.undo { return try await undo() }
    var (file, contents) = (SettingsFile(path), Secret(""))
    let env: EnvFile
    if options.rewrite {
      (file, contents, env) = try context.engine.envFile(path, isUndo: false)
    } else {
      do {
        let read = try context.world.foreignFiles.read(path, EnvFile.limit)
        contents = read.secret
        if read.isExposed {
          context.notice("other users can read \(printable(path)): `chmod 600 \(shellWord(path))`")
        }
      } catch {
        throw .migration(.file(error))
      }
      env = try context.engine.parsedEnv(contents, path)
    }
    var keys = try EnvKeys(context.engine)
    let sorted = try await sort(env, contents, &keys, request.name)
    tell(of: sorted)
    guard !sorted.taken.isEmpty || sorted.references > 0 else { throw .env(.nothing(path: path)) }
    guard request.name == nil || keys.added.count <= 1 else { throw .env(.oneNameForSeveral(path: path)) }
    var change = EnvChange(file: file, contents: contents, values: sorted.taken.map { ($0.entry, $0.reference) })
    if options.dryRun { return try show(sorted, keys, change) }
    if options.rewrite, !change.values.isEmpty { try agree(to: change) }
    let stored = try await store(keys.added, request)
    for (index, taken) in sorted.taken.enumerated() {
      if case .new(let name) = taken.owner, let account = stored[name] {
        change.values[index].new = Secret(AccountReference(to: account).description)
      }
    }
    if options.rewrite { try await rewrite(change, sorted, stored) }
    if context.options.json { return try output(sorted, change) }
    if options.rewrite {
      context.notice(change.values.isEmpty ? "\(printable(path)) was not changed" : "\(rewritten); \(running)")
    } else {
      try context.output(hidden(change, sorted))
      context.notice("hint: --rewrite writes the file; \(running)")
    }
    return .done
  }

  private var running: String { "to run a command with it: \(acctLine("exec", "--env-file", path)) -- COMMAND" }

  private var rewritten: String {
    "\(printable(path)) has references now; `\(acctLine("add", "--from", "env", path, "--undo"))` takes that back"
  }

  private func sort(
    _ env: EnvFile,
    _ contents: Secret,
    _ keys: inout EnvKeys,
    _ name: AccountName?
  ) async throws(EngineError) -> Sorted {
    var sorted = Sorted()
    for entry in env.entries {
      let provider: ResolvedProvider?
      let places: [Place]
      switch keys.finding(for: entry) {
      case .setting:
        sorted.settings += 1
        continue
      case .reference:
        sorted.references += 1
        continue
      case .key(let known): (provider, places) = (known, known.origins.map { Place($0) })
      case .secret(let reason):
        guard let answer = try ask(about: entry, reason) else {
          sorted.left.append((entry, reason))
          continue
        }
        (provider, places) = (nil, answer)
      }
      guard let escapes = entry.escapes(in: contents) else {
        sorted.left.append((entry, .form))
        continue
      }
      do throws(EngineError) {
        let owner = try await keys.account(for: entry, of: provider, at: places, named: name)
        sorted.taken.append(Taken(entry: entry, owner: owner, escapes: escapes))
      } catch .input(.staticToken) {
        sorted.left.append((entry, .noToken))
      }
    }
    return sorted
  }

  /// Asks where a secret may be sent; an empty list for one that is handed to commands alone, `nil` to leave it.
  private func ask(about entry: EnvFile.Entry, _ reason: EnvKeys.Reason?) throws(EngineError) -> [Place]? {
    guard asks, reason != .noToken, reason != .form else { return nil }
    let why = reason.map { ", and \(words(for: $0))" } ?? ""
    context.world.report("acct: line \(entry.line): \(printable(entry.variable)) looks like a secret\(why)")
    while true {
      let question = "its origin (https://…), v to keep it for a variable alone, or Enter to leave it: "
      guard let answer = context.world.terminal.ask(question) else { throw .cancelled }
      switch answer[...].trimmed {
      case "": return nil
      case "v": return []
      default:
        do throws(ParseError) { return [try Place(String(answer[...].trimmed))] } catch {
          context.world.report("acct: \(ErrorMessage(error).text)")
        }
      }
    }
  }

  private var asks: Bool { context.canAsk && !options.dryRun && !options.yes && !context.options.json }

  /// Says in a line each what is left as it is.
  private func tell(of sorted: Sorted) {
    for (entry, reason) in sorted.left where reason != nil {
      let why = reason.map { ": \(words(for: $0))" } ?? ""
      context.notice("line \(entry.line): \(printable(entry.variable)) is left as it is\(why)")
    }
    let names = sorted.left.filter { $0.reason == nil }.map { printable($0.entry.variable) }
    if !names.isEmpty, !asks {
      let isOne = names.count == 1
      context.notice(
        "\(names.joined(separator: ", ")) \(isOne ? "looks like a secret and is" : "look like secrets and are") left: "
          + "on a terminal, acct asks where \(isOne ? "it goes" : "they go")"
      )
    }
    let settings = sorted.settings
    if settings > 0 {
      context.notice("\(settings) \(settings == 1 ? "setting stays as it is" : "settings stay as they are")")
    }
  }

  private func store(
    _ new: [EnvKeys.New],
    _ request: AddAccount.Options
  ) async throws(EngineError) -> [AccountName: Account] {
    guard !new.isEmpty else { return [:] }
    try await AddAccount(context.engine).prepare()
    var request = request
    request.replacement = .never
    // A key of a file is for the commands that name it: none takes the place of the active account.
    request.activates = false
    var stored: [AccountName: Account] = [:]
    for new in new {
      request.name = new.name
      let added = try await AddAccount(context.engine).add(new.credentials, request)
      stored[new.name] = added.account
      if !context.options.json { context.notice(added.words) }
    }
    return stored
  }

  /// Records the change before the file is written: a process that is killed in between leaves a record of a change that was
  /// not made.
  private func rewrite(
    _ change: EnvChange,
    _ sorted: Sorted,
    _ stored: [AccountName: Account]
  ) async throws(EngineError) {
    guard !change.values.isEmpty else { return }
    var values: [EnvRewrite.Value] = []
    for (taken, (entry, reference)) in zip(sorted.taken, change.values) {
      let account: Account?
      switch taken.owner {
      case .known(let known): account = known
      case .new(let name): account = stored[name]
      }
      guard let account else { continue }
      values.append(
        EnvRewrite.Value(
          variable: entry.variable,
          reference: reference.shownText,
          account: account.id,
          escapes: taken.escapes
        )
      )
    }
    let record = EnvRewrite(of: wholePath, change.contents, values, context.world.entropy)
    try await context.world.files.withLock(.setups, waiting: 30, failure: { .files(.failed($0)) }) {
      () async throws(EngineError) in
      try context.engine.note(record)
      try context.engine.write(change)
    }
  }

  /// Puts the values back that references took the place of.
  private func undo() async throws(EngineError) -> ExitStatus {
    guard let record = try context.engine.envRewrites().first(where: { $0.path == wholePath }) else {
      return try done("acct has not rewritten \(printable(path)); nothing was changed")
    }
    let change = try await context.engine.undoing(record)
    if options.dryRun {
      if context.options.json { return try output(Sorted(), change) }
      try context.output(change.diff(path))
      return try done("nothing was changed")
    }
    if !change.values.isEmpty { try agree(to: change) }
    try await context.world.files.withLock(.setups, waiting: 30, failure: { .files(.failed($0)) }) {
      () async throws(EngineError) in
      if !change.values.isEmpty { try context.engine.write(change) }
      try context.engine.forgetRewrite(of: wholePath)
    }
    if context.options.json { return try output(Sorted(), change) }
    if change.values.isEmpty { return try done("\(printable(path)) has none of the references any more") }
    return try done(
      record.isExact(change.changed)
        ? "\(printable(path)) is as it was before; the accounts stay"
        : "the values are back in \(printable(path)) as the accounts have them now; it is not what it was before"
    )
  }

  /// Shows the change, and asks; without a terminal a yes is needed.
  ///
  /// - Throws: ``EngineError/cancelled``; ``EnvError/unconfirmed(path:)``.
  private func agree(to change: EnvChange) throws(EngineError) {
    if asks || !context.options.quiet && !context.options.json {
      for line in change.diff(path) { context.world.report(line.replacing("\t", with: "    ")) }
    }
    if options.yes { return }
    guard asks else { throw .env(.unconfirmed(path: path)) }
    guard context.world.terminal.asksYes("acct: make this change? [y/N] ") else { throw .cancelled }
  }

  /// The file with references; on a terminal without the secrets that are left in it.
  private func hidden(_ change: EnvChange, _ sorted: Sorted) -> Secret {
    guard context.world.streams.outputIsTerminal, !sorted.left.isEmpty else { return change.changed }
    var shown = change
    shown.values += sorted.left.map { ($0.entry, Secret("…")) }
    shown.values.sort { $0.entry.place.lowerBound < $1.entry.place.lowerBound }
    return shown.changed
  }

  /// The path by which the file is known from every folder.
  private var wholePath: String {
    guard !path.hasPrefix("/"), let folder = context.world.environment.workingDirectory() else { return path }
    return "\(folder)/\(path.hasPrefix("./") ? path.dropFirst(2) : path[...])"
  }

  private func done(_ text: String) throws(EngineError) -> ExitStatus {
    if context.options.json { return try output(Sorted(), nil) }
    context.notice(text)
    return .done
  }

  /// Shows what would be done.
  private func show(_ sorted: Sorted, _ keys: EnvKeys, _ change: EnvChange) throws(EngineError) -> ExitStatus {
    if context.options.json { return try output(sorted, change) }
    if options.rewrite {
      try context.output(change.diff(path))
    } else {
      let table = Table(
        columns: [
          Table.Column("LINE"), Table.Column("VARIABLE"), Table.Column("ACCOUNT"),
          Table.Column("FOR", floor: 12, rank: 0), Table.Column("THEN"),
        ],
        rows: sorted.taken.map { taken in
          let (name, places, then) = taken.owner.words(among: keys.added)
          return [
            Cell("\(taken.entry.line)"), Cell(printable(taken.entry.variable), .strong), Cell(name), Cell(places),
            Cell(then),
          ]
        }
      )
      try context.output(table.lines(on: context.screen))
    }
    context.notice("nothing was changed")
    return .done
  }

  /// Prints the object of `--json`.
  private func output(_ sorted: Sorted, _ change: EnvChange?) throws(EngineError) -> ExitStatus {
    let taken = sorted.taken.map { taken -> JSON in
      let (name, isNew): (AccountName, Bool) =
        switch taken.owner {
        case .known(let account): (account.name, false)
        case .new(let name): (name, true)
        }
      return [
        "variable": .string(taken.entry.variable), "line": JSON(Int64(taken.entry.line)),
        "accountName": .string(name.description), "added": .bool(isNew && !options.dryRun),
      ]
    }
    let left = sorted.left.map { entry, _ -> JSON in
      ["variable": .string(entry.variable), "line": JSON(Int64(entry.line))]
    }
    try context.output(
      envelope([
        "env": [
          "file": .string(path), "undo": .bool(options.undo), "dryRun": .bool(options.dryRun),
          "changed": .bool((options.rewrite || options.undo) && !options.dryRun && change?.values.isEmpty == false),
          "keys": .array(taken), "left": .array(left),
        ]
      ])
    )
    return .done
  }
}

extension AddFromEnv.Taken {
  /// The reference that takes the value's place.
  fileprivate var reference: Secret {
    switch owner {
    case .known(let account): Secret(AccountReference(to: account).description)
    case .new(let name): Secret("acct://\(name)")
    }
  }
}

extension EnvKeys.Owner {
  /// The account's name, where it may be sent, and what happens.
  fileprivate func words(among new: [EnvKeys.New]) -> (name: String, places: String, then: String) {
    let (name, places, then): (AccountName, [Place], String) =
      switch self {
      case .known(let account): (account.name, account.origins.places, "has it already")
      case .new(let name): (name, new.first { $0.name == name }?.credentials.origins.places ?? [], "added")
      }
    let text = places.isEmpty ? "a variable alone" : places.map(\.description).joined(separator: " ")
    return (name.description, text, then)
  }
}
