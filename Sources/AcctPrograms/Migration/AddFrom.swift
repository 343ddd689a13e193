package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
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
        let result = try await TakeLogin(context.engine).take(found, options)
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
      guard let known = try TakeLogin(context.engine).plan(found, options) else {
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
