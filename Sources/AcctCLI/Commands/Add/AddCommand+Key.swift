import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// `acct add openai`: the key of a provider that says everything else.
extension AddCommand {
  /// The provider of a name, if its accounts have keys; a terminal asks for the host that it needs.
  ///
  /// - Throws: ``ProviderError``.
  func keyProvider(_ typed: ProviderName, _ context: Context) throws(EngineError) -> ResolvedProvider? {
    let providers = Providers(context.world)
    let provider = try providers.find(typed).provider
    guard provider.kind == .key else { return nil }
    do { return try providers.resolve(typed) } catch {
      guard case .provider(.place(.missing, _)) = error, typed.place == nil, context.canAsk,
        let whole = ProviderName(try GuidedAdd(context).word(for: provider))
      else { throw error }
      return try providers.resolve(whole)
    }
  }

  /// The error for a key of a provider whose accounts have none.
  func noKey(_ typed: ProviderName, _ context: Context) throws(EngineError) -> ProviderError {
    let providers = Providers(context.world)
    let provider = try providers.find(typed).provider
    return .key(.noKey(title: provider.title ?? typed.name, other: providers.keyProvider(beside: typed.name)))
  }

  /// Adds an account with a key.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - file: The file that contains the key; `nil` to ask for it.
  ///   - request: The options of the addition.
  ///   - context: The command's environment.
  /// - Returns: The exit status.
  /// - Throws: ``ProviderKeyError``; ``InputError/staticToken(_:)``; ``EngineError/cancelled``; or why it can't be stored.
  func addKey(
    of provider: ResolvedProvider,
    from file: String?,
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    guard let key = provider.provider.key, !signIn.isUsed, !client.isUsed, !self.key.isUsed, !certificate.isUsed
    else { throw .provider(.key(.noSignIn(title: provider.title, typed: provider.typed))) }
    let questions = KeyQuestions(context, provider)
    var options = request
    // They are the key's own, as those of the provider.
    options.allowedOrigins = []
    if options.name == nil, !replace {
      guard let name = ProviderName(provider.typed).flatMap({ try? AccountName($0.accountName) }) else {
        throw .input(.staticToken(.unnamed))
      }
      (options.name, options.replacement) = try NameForKey(context).choose(name) { account in
        account.kind == .static && account.client.provider == provider.typed
      }
    }
    let token = AddStaticToken.Request(
      file: file ?? "-",
      sentAs: key.sentAs,
      expiry: staticToken.expires,
      origins: provider.origins.map { Place($0) } + request.allowedOrigins,
      provider: provider.typed
    )
    let secret = try questions.key(from: file)
    let added = try await store(AddStaticToken(context.engine).credentials(key: secret, token), options, context)
    let status = try await tell(of: added, isConfirmed: true, context)
    if let origin = provider.origins.first, !self.options.json {
      let isInQuery = key.sentAs.form == .query
      let line = acctLine(isInQuery ? "request" : "header", "\(origin)/")
      context.notice(
        "hint: `\(line)` \(isInQuery ? "makes a request with it" : "prints the header that it is sent in")"
      )
    }
    return status
  }
}

/// The questions about a provider's key, and the checks of the answers.
private struct KeyQuestions {
  private let context: Context
  private let provider: ResolvedProvider

  init(_ context: Context, _ provider: ResolvedProvider) {
    self.context = context
    self.provider = provider
  }

  /// Reads the key, or asks for it until there is one.
  ///
  /// - Throws: ``ProviderKeyError``; ``InputError/staticToken(_:)`` for the file; ``EngineError/cancelled``.
  func key(from file: String?) throws(EngineError) -> Secret {
    let page = provider.registerAt
    if let file, !context.isTyped(file) {
      let given = GivenKey(try AddStaticToken(context.engine).contents(of: file))
      guard let key = try accepted(given) else { throw .cancelled }
      return key
    }
    guard context.canAsk else {
      throw .provider(.key(.needed(title: provider.title, typed: provider.typed, page: page)))
    }
    if let page { context.world.report("acct: a key of \(provider.title) is made here: \(page)") }
    while true {
      guard let text = context.world.terminal.askSecretUntilTyped("key (not shown): ") else { throw .cancelled }
      let given = GivenKey(text)
      if given.text.count > 0, let key = try accepted(given) { return key }
    }
  }

  /// The key of what was given; `nil` if the person does not want to keep that.
  private func accepted(_ given: GivenKey) throws(EngineError) -> Secret? {
    let key = try value(of: given)
    let known = try Providers(context.world).entries(keys: true).map(\.provider)
    // Of two providers with one prefix, this one counts.
    guard let owner = GivenKey(key).owner(among: [provider.provider] + known), owner.name != provider.provider.name
    else { return key }
    let title = owner.title ?? owner.name
    guard context.canAsk else {
      throw .provider(.key(.foreign(of: title, typed: owner.name, for: provider.title)))
    }
    let isKept = context.world.terminal.asksYes(
      "this looks like a key of \(title); keep it for \(provider.title)? [y/N] "
    )
    return isKept ? key : nil
  }

  /// The value of a variable that was given in place of the key.
  ///
  /// Under a variable of the provider's it is taken as it is: there is no other meaning.
  private func value(of given: GivenKey) throws(EngineError) -> Secret {
    let variables = provider.provider.key?.variables ?? []
    guard let assignment = given.assignment(knowing: variables) else { return given.text }
    if context.canAsk {
      guard let isKept = context.world.terminal.confirms("keep what is behind `=`? [Y/n] ") else { throw .cancelled }
      return isKept ? assignment.value : given.text
    }
    guard variables.contains(assignment.variable) else { throw .provider(.key(.assignment)) }
    return assignment.value
  }
}
