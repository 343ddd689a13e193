import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctPrograms
import AcctProtocol
import Secrets

/// The questions of `acct add` without arguments: what to add, then only what that way needs.
struct GuidedAdd {
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// The account to add, as the answers describe it.
  struct Plan {
    enum What {
      /// The arguments of `acct add`.
      case line([String])
      /// A token, and how it is sent.
      case token(Secret, AddStaticToken.Request)
    }

    var what: What
    /// The command that does the same without questions.
    var line: String
  }

  /// One thing that can be added.
  private struct Choice {
    /// The word that chooses it.
    var name: String
    var words: String
    var plan: (GuidedAdd) async throws(EngineError) -> Plan
  }

  /// Shows the list, and asks.
  ///
  /// A server is asked as soon as it is named; an answer that is wrong is asked for again.
  ///
  /// - Returns: The plan.
  /// - Throws: ``InputError/nothingToAdd`` without a terminal, ``EngineError/cancelled``.
  func ask() async throws(EngineError) -> Plan {
    guard context.canAsk else { throw .input(.nothingToAdd) }
    let choices = try choices()
    let columns = [Table.Column(""), Table.Column(""), Table.Column("", floor: 8)]
    let table = Table(
      columns: columns,
      rows: choices.enumerated().map { [Cell("\($0 + 1)"), Cell($1.name), Cell($1.words)] }
    )
    for line in table.lines(on: context.screen) { context.world.report(line) }
    while true {
      let answer = try question("what do you want to add? (a number or a name)", default: nil)
      if let choice = choice(answer, among: choices) { return try await choice.plan(self) }
      // A handle, or a provider with its host, is an answer by itself.
      if ProviderName(answer)?.place != nil { return Self.plan([answer]) }
      if answer.contains(".") {
        if let handle = try await usable(answer, handle) { return Self.plan([handle]) }
        continue
      }
      if let provider = keyProvider(answer) { return try await plan(of: provider) }
      let near = didYouMean(suggested(for: answer, of: choices.map(\.name)))
      context.world.report("acct: that is none of them" + (near.map { "; \($0)" } ?? ""))
    }
  }

  private func choice(_ answer: String, among choices: [Choice]) -> Choice? {
    if let number = Int(answer), choices.indices.contains(number - 1) { return choices[number - 1] }
    return choices.first { $0.name == answer.lowercased() }
  }

  /// Everything that can be added, the usual first.
  private func choices() throws(EngineError) -> [Choice] {
    var choices = [
      Choice(name: "bluesky", words: "Bluesky or another AT Protocol server, by a handle") {
        (guide) async throws(EngineError) in
        Self.plan([try await guide.answer("your handle, as in your profile (alice.bsky.social)", guide.handle)])
      }
    ]
    // A damaged file is reported by the command that uses it.
    for provider in try Providers(context.world).entries(keys: false).map(\.provider) {
      choices.append(
        Choice(name: provider.name, words: provider.title ?? provider.name) { (guide) async throws(EngineError) in
          try await guide.plan(of: provider)
        }
      )
    }
    return choices + [
      Choice(name: "server", words: "another server with OAuth, by its address") { (guide) async throws(EngineError) in
        let issuer = try await guide.answer(
          "its address (https://login.example; its documentation says issuer)",
          guide.issuer
        )
        return Self.plan(["--issuer", issuer])
      },
      Choice(name: "key", words: "an API key or a token that you have") { (guide) async throws(EngineError) in
        try await guide.key()
      },
    ] + FindLogins(context.engine).all().compactMap(Self.choice)
  }

  /// The logins that another program has; `nil` without any.
  private static func choice(_ found: FoundAccounts) -> Choice? {
    guard let program = found.accounts.first?.program else { return nil }
    let most = 3
    var words = found.accounts.prefix(most).map(phrase).joined(separator: ", ")
    if found.accounts.count > most { words += " and \(found.accounts.count - most) more" }
    return Choice(name: program.rawValue, words: "\(program.rawValue): \(words)") { _ throws(EngineError) in
      plan(["--from", program.rawValue])
    }
  }

  private static func plan(_ words: [String]) -> Plan {
    Plan(what: .line(words), line: acctLine(["add"] + words))
  }

  /// The provider of a name, if its accounts have keys: there are too many for the list.
  private func keyProvider(_ name: String) -> Provider? {
    guard let provider = (try? Providers(context.world).entry(name.lowercased()))?.provider else { return nil }
    return provider.kind == .key ? provider : nil
  }

  /// A provider as it is typed; what its addresses leave open is asked for.
  func word(for provider: Provider) throws(EngineError) -> String {
    let typed = provider.name.hasSuffix("-host") ? String(provider.name.dropLast(5)) : provider.name
    var parts: [String] = []
    for (placeholder, example) in [
      (ProviderAddress.Placeholder.host, "host, as in git.example"), (.realm, "realm"), (.tenant, "tenant"),
    ] where provider.placeholders.contains(placeholder) {
      let known = provider.known(placeholder)
      parts.append(try question("its \(example)", default: known))
    }
    return ([typed] + (parts.isEmpty ? [] : [parts.joined(separator: "/")])).joined(separator: ":")
  }

  private func plan(of provider: Provider) async throws(EngineError) -> Plan {
    // Without a question about its address there is no other answer.
    guard !provider.placeholders.isEmpty else { return try await plan(of: provider, as: word(for: provider)) }
    while true {
      let word = try word(for: provider)
      if let plan = try await usable(word, { word throws(EngineError) in try await plan(of: provider, as: word) }) {
        return plan
      }
    }
  }

  private func plan(of provider: Provider, as word: String) async throws(EngineError) -> Plan {
    switch provider.kind {
    case .oauth: return Self.plan([word])
    case .key: return Plan(what: .line([word]), line: acctLine("add", word, "--token", "FILE"))
    case .appPassword: break
    }
    guard let name = ProviderName(word) else { throw .input(.nothingToAdd) }
    let resolved = try Providers(context.world).resolve(name)
    if let page = resolved.registerAt { context.world.report("acct: make an app password here: \(page)") }
    return try await password(for: resolved.origins)
  }

  private func password(for origins: [Origin]) async throws(EngineError) -> Plan {
    let (user, sentAs) = try await answer("your user name there") { user throws(EngineError) in
      (user, try Self.sent(in: "Authorization", .basic(user: user)))
    }
    return try token(sentAs, "app password", origins, ["--basic", user])
  }

  private func key() async throws(EngineError) -> Plan {
    let text = "the address of the API (https://api.example.com), or a name of `acct providers --keys`"
    let place: KeyPlace = try await answer(text) { text throws(EngineError) in
      if let provider = keyProvider(text) { return .provider(provider) }
      return .origin(try parseOrigin(text.contains("://") ? text : "https://\(text)"))
    }
    let origin: Origin
    switch place {
    case .provider(let provider): return try await plan(of: provider)
    case .origin(let given): origin = given
    }
    let bare = try await answer("the header that it is sent in", default: "Authorization") {
      header throws(EngineError) in
      try Self.sent(in: header, .bare)
    }
    guard bare.field.lowercased() == "authorization" else {
      return try token(bare, "key", [origin], ["--header", bare.field])
    }
    let usual = "Bearer"
    let (scheme, sentAs) = try await answer("the word before it", default: usual) { scheme throws(EngineError) in
      (scheme, try Self.sent(in: bare.field, .scheme(scheme)))
    }
    return try token(sentAs, "key", [origin], scheme == usual ? [] : ["--scheme", scheme])
  }

  /// Where a key is for: a provider that says the rest, or an address.
  private enum KeyPlace {
    case provider(Provider)
    case origin(Origin)
  }

  private static func sent(in field: String, _ form: StaticHeader.Form) throws(EngineError) -> StaticHeader {
    do { return try StaticHeader(field: field, form: form) } catch { throw .input(.staticToken(.header(error))) }
  }

  private func token(
    _ sentAs: StaticHeader,
    _ word: String,
    _ origins: [Origin],
    _ options: [String]
  ) throws(EngineError) -> Plan {
    guard let secret = context.world.terminal.askSecretUntilTyped("the \(word) (not shown): ") else { throw .cancelled }
    let words = ["--token", "FILE"] + options + origins.flatMap { ["--allow-origin", $0.description] }
    return Plan(
      what: .token(
        secret,
        AddStaticToken.Request(file: "-", sentAs: sentAs, expiry: nil, origins: origins.map { Place($0) })
      ),
      line: Self.plan(words).line
    )
  }

  /// Finds the server of a handle.
  private func handle(_ text: String) async throws(EngineError) -> String {
    let identifier: ATProtoSignIn.Identifier
    do { identifier = try ATProtoSignIn.Identifier(text) } catch { throw .input(.malformed(error)) }
    try await ATProtoSignIn(context.engine).meet(identifier)
    return text
  }

  /// Finds the server at an address.
  private func issuer(_ text: String) async throws(EngineError) -> String {
    let text = text.contains("://") ? text : "https://\(text)"
    let issuer: Issuer
    do { issuer = try Issuer(text) } catch { throw .input(.malformed(error)) }
    try await ServerSignIn.meet(issuer, context.engine)
    return text
  }

  /// Asks for one line until it can be used.
  private func answer<Answer>(
    _ text: String,
    default known: String? = nil,
    _ read: (String) async throws(EngineError) -> Answer
  ) async throws(EngineError) -> Answer {
    while true {
      if let answer = try await usable(question(text, default: known), read) { return answer }
    }
  }

  /// Reads an answer; a flaw is told, and costs none of the answers before it.
  private func usable<Answer>(
    _ typed: String,
    _ read: (String) async throws(EngineError) -> Answer
  ) async throws(EngineError) -> Answer? {
    do throws(EngineError) { return try await read(typed) } catch {
      if case .cancelled = error { throw error }
      context.world.reportFailure(ErrorMessage(error))
      return nil
    }
  }

  /// Asks for one line; an empty answer is the default.
  private func question(_ text: String, default known: String?) throws(EngineError) -> String {
    while true {
      let prompt = text + (known.map { " [\($0)]" } ?? "") + ": "
      guard let answer = context.world.terminal.ask(prompt)?.trimmed else { throw .cancelled }
      if !answer.isEmpty { return answer }
      if let known { return known }
    }
  }
}

extension Provider {
  /// The part of its addresses that is used where the user names none.
  fileprivate func known(_ placeholder: ProviderAddress.Placeholder) -> String? {
    switch placeholder {
    case .host: defaults.host
    case .tenant: defaults.tenant
    case .realm: defaults.realm
    case .tenantID: nil
    }
  }
}

extension String {
  /// The text without the spaces around it.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
