import AcctApps
import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts
import AcctPrograms
import AcctProtocol
import ArgumentParser
import Secrets
import StrictJSON

/// Adds an account, or renews the credentials of one that is there.
struct AddCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add an account.",
    usage: """
      acct add IDENTIFIER
      acct add PROVIDER[:HOST] [--client-id ID] [--scope S]
      acct add --issuer URL [--client-id ID] [--scope S] [--resource URL]… [--device]
      acct add --token-url URL --client-id ID [--authorize-url URL | --device --device-url URL]
      acct add --issuer URL --client-id ID --client-secret-file FILE --grant client-credentials
      acct add --client-key FILE --grant jwt-bearer [--scope S]
      acct add --issuer URL --grant token-exchange --subject-token-file FILE [--audience NAME]…
      acct add --resource URL [--client-id ID] [--scope S] [--device]
      acct add --backend URL [IDENTIFIER] [--callback PREFIX]
      acct add --session URL [IDENTIFIER] [--callback PREFIX]
      acct add --guest URL
      acct add PROVIDER[:HOST] --token FILE
      acct add --token FILE --allow-origin ORIGIN… [--header NAME] [--scheme WORD] [--basic USER]
      acct add --token FILE --allow-origin ORIGIN… --query NAME
      acct add --import FILE
      acct add --from PROGRAM|list [PATH|NAME] [--dry-run]
      acct add --from env [FILE] [--rewrite|--undo] [--yes] [--dry-run]
      acct add … --cert FILE --cert-key FILE
      acct add … --key tpm[:SPEC]|pkcs11:URI [--pin]
      """,
    discussion: """
      An identity that has an account keeps its id and name, and gets the new credentials.
      """
  )

  @Argument(help: "A provider (`acct providers`), an AT Protocol handle or DID, or the URL of a PDS or entryway.")
  var identifier: String?

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Import credentials from a JSON file, or an export; - is stdin.", valueName: "file")
  )
  var importFile: String?

  @Option(
    help: ArgumentHelp(
      "Read an export's passphrase from your own file (or ACCT_EXPORT_PASSPHRASE_FILE).",
      valueName: "file"
    )
  )
  var passphraseFile: String?

  @Option(help: ArgumentHelp("Sign in at an OAuth 2 server.", valueName: "url"))
  var issuer: String?

  @OptionGroup var app: BackendOptions

  @OptionGroup var staticToken: StaticTokenOptions

  @OptionGroup var from: FromOptions

  @OptionGroup var signIn: SignInOptions

  @OptionGroup var client: ClientOptions

  @OptionGroup var certificate: CertificateOptions

  @OptionGroup var key: KeyOptions

  @Option(help: "The name of the account.")
  var name: String?

  @Flag(help: "Do not make it the active account.")
  var noSwitch = false

  @Flag(help: "Replace newer tokens of the account, or a token for other origins.")
  var replace = false

  @Option(help: ArgumentHelp("One more origin that its headers may be sent to.", valueName: "origin"))
  var allowOrigin: [String] = []

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let name = try name.map { text throws(EngineError) in try parseName(text) }
    let origins = try allowOrigin.map { text throws(EngineError) in try parsePlace(text) }
    var request = AddAccount.Options(name: name, activates: !noSwitch, allowedOrigins: origins)
    let added: AddAccount.Added
    guard let source = sources.first else { return try await guided(request, context) }
    switch source {
    case .app(.guest(let url)): added = try await AddGuest(context.engine).add(at: url, request)
    case .token(let file):
      let credentials = try self.credentials(try staticToken.request(file, origins), context)
      // These origins are the token's own, and end with it: only those of `acct allow` stay.
      request.allowedOrigins = []
      added = try await store(credentials, request, context)
    case .key(let typed, let file):
      guard let provider = try keyProvider(typed, context) else { throw .provider(try noKey(typed, context)) }
      return try await addKey(of: provider, from: file, request, context)
    case .server(.provider(let typed)):
      if let provider = try keyProvider(typed, context) {
        return try await addKey(of: provider, from: nil, request, context)
      }
      added = try await signIn(source, request, context.opening(signIn.browser))
    case .file(let file):
      request.replacement = replace ? .forced : .unlessNewer
      let certificate = try await certificate.read(context)
      switch try ImportFile(context.world, knowing: OtherProgram.failure).read(file, presenting: certificate) {
      case .export(let export): return try await take(export, request, context)
      case .credentials(let credentials):
        context.report(credentials.notices)
        added = try await AddAccount(context.engine).add(credentials, request)
      }
    case .envFile: return try await AddFromEnv(context, identifier ?? ".env", from).run(request)
    case .program(nil): return try AddFrom(context).list()
    case .program(let program?):
      // Without a name, only the account that has the login is replaced.
      if name != nil, !replace { request.replacement = .unlessNewer }
      return try await AddFrom(context).add(program, identifier, request, isDry: from.dryRun)
    case .app, .network, .server:
      added = try await signIn(source, request, context.opening(signIn.browser))
    }
    return try await tell(of: added, isConfirmed: source.isConfirmed, context)
  }

  func tell(
    of added: AddAccount.Added,
    isConfirmed: Bool,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let account = added.account
    if account.origins.isEmpty {
      context.notice("no origin is known for \(account.name): acct allow \(account.name) ORIGIN names one")
    }
    context.noticeIfExpired(account)
    tellOfName(account, context)
    let place = account.keyStorage == .software ? "" : ", with its key in \(words(for: account.keyStorage))"
    let done = added.words + place
    let status = try context.done(account, isConfirmed ? done : "\(done): \(account.person)")
    await tellOfOrphans(context)
    return status
  }

  /// Reports that an identity whose account is known keeps that account's name.
  func tellOfName(_ account: Account, _ context: Context) {
    guard let name, name != account.name.description else { return }
    let line = acctLine("rename", account.name.description, name)
    context.notice("it has an account already, which keeps its name; to rename it, run `\(line)`")
  }

  /// Asks what to add, and adds it; the last line is the command that asks nothing.
  private func guided(_ request: AddAccount.Options, _ context: Context) async throws(EngineError) -> ExitStatus {
    let plan = try await GuidedAdd(context).ask()
    var status = ExitStatus.done
    switch plan.what {
    case .line(let words):
      guard var add = try? Self.parse(words) else { throw .input(.nothingToAdd) }
      (add.name, add.noSwitch, add.allowOrigin, add.options) = (name, noSwitch, allowOrigin, options)
      (add.signIn.noBrowser, add.signIn.browser) = (signIn.noBrowser, signIn.browser)
      status = try await add.run(in: context)
    case .token(let secret, let token):
      let credentials = try AddStaticToken(context.engine).credentials(typed: secret, token)
      var own = AddAccount.Options(name: request.name, activates: request.activates, allowedOrigins: [])
      if own.name == nil, let proposed = AddAccount(context.engine).name(for: credentials) {
        (own.name, own.replacement) = try NameForKey(context).choose(proposed) { $0.kind == .static }
      }
      let added = try await store(credentials, own, context)
      status = try await tell(of: added, isConfirmed: true, context)
    }
    context.notice("without questions: `\(plan.line)`")
    return status
  }

  /// Reads a static token; one that is to be typed is not shown.
  private func credentials(
    _ request: AddStaticToken.Request,
    _ context: Context
  ) throws(EngineError) -> NewCredentials {
    guard context.isTyped(request.file) else { return try AddStaticToken(context.engine).credentials(request) }
    guard let typed = context.world.terminal.askSecretUntilTyped("token (not shown): ") else { throw .cancelled }
    return try AddStaticToken(context.engine).credentials(key: typed, request)
  }

  /// Stores a static token; the person is asked before it takes the place of one for other origins.
  func store(
    _ credentials: NewCredentials,
    _ options: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> AddAccount.Added {
    var options = options
    if options.replacement != .never { options.replacement = replace ? .forced : .unlessNewer }
    do throws(EngineError) { return try await AddAccount(context.engine).add(credentials, options) } catch {
      guard case .input(.staticToken(.otherOrigins(let name, let origins))) = error, context.canAsk else { throw error }
      let places = origins.map(\.description).joined(separator: ", ")
      guard context.world.terminal.asksYes("\(name) has a token for \(places): replace it? [y/N] ") else {
        throw .cancelled
      }
      options.replacement = .forced
      return try await AddAccount(context.engine).add(credentials, options)
    }
  }

  /// Signs in, and stores the account; what is missing of the client is asked for.
  private func signIn(
    _ source: AddSource,
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> AddAccount.Added {
    guard var way = try await way(from: source, context) else { throw .signIn(.tokenEndpointNeeded) }
    let client = AskForClient(context, opensBrowser: !signIn.noBrowser)
    while true {
      do throws(EngineError) { return try await signIn(way, request, context) } catch {
        guard let completed = try await client.complete(way, after: error) else { throw error }
        way = completed
      }
    }
  }

  private func signIn(
    _ way: SignInWay,
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> AddAccount.Added {
    let person = person(context)
    return try await SignInRun(context).run {
      () async throws(EngineError) in
      try await way.signIn(context.engine, as: person)
    } store: { credentials async throws(EngineError) in
      try await AddAccount(context.engine, waitsToBegin: true).add(credentials, request)
    }
  }
}

extension AddCommand {
  /// Takes over an export that `acct export` wrote.
  func take(
    _ export: SealedExport,
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let passphrases = try ExportPassphrase(context.engine, file: passphraseFile).known()
    let accounts = try await ImportAccounts(context.engine).importAll(export, openedBy: passphrases, request)
    if options.json {
      // A list even of one, since only the passphrase tells how many there are.
      try context.output(envelope(["accounts": try context.json(of: accounts.map(\.account))]))
    }
    for added in accounts { tellOfName(added.account, context) }
    for added in accounts where !options.json {
      context.notice(added.words)
    }
    await tellOfOrphans(context)
    return .done
  }

  /// Reports that the keyring holds secrets of an `add` that was killed before it could record their account.
  func tellOfOrphans(_ context: Context) async {
    let count = await AddAccount(context.engine).orphans()
    guard count > 0 else { return }
    let accounts = count == 1 ? "an account that has" : "\(count) accounts that have"
    context.notice("the keyring holds secrets of \(accounts) no file: an earlier `acct add` was interrupted")
    context.notice("hint: `acct doctor --repair` lists what is there, to be used or removed")
  }
}

/// Asks the person at the terminal for a client that a server needs, and shows the page to register one at.
struct AskForClient {
  private let context: Context
  private let opensBrowser: Bool

  init(_ context: Context, opensBrowser: Bool) {
    self.context = context
    self.opensBrowser = opensBrowser
  }

  /// Completes a way to sign in that failed because of its client.
  ///
  /// - Parameters:
  ///   - way: The way.
  ///   - error: The failure.
  /// - Returns: The way with the client that was typed; `nil` if the failure is another one, or no terminal can ask.
  /// - Throws: ``EngineError/cancelled``, ``InputError/clientSecret(_:)``.
  func complete(_ way: SignInWay, after error: EngineError) async throws(EngineError) -> SignInWay? {
    guard context.canAsk, case .server(var request) = way else { return nil }
    switch error {
    case .provider(.clientNeeded(let registration)):
      await show(registration)
      request.server.clientID = try ask("client id: ")
    case .provider(.notRegistered(_, _, let registration)) where request.server.clientID.isEmpty:
      context.world.report("acct: \(ErrorMessage(error).text)")
      await show(registration)
      request.server.clientID = try ask("client id: ")
    case .provider(.secretNeeded(let registration)):
      request.server.clientSecret = try askSecret(registration)
    default: return nil
    }
    return .server(request)
  }

  /// Shows where to register a client, and what to enter there.
  private func show(_ registration: ProviderError.Registration) async {
    let report = context.world.report
    report("acct: \(registration.title ?? "the server") needs to know the client, once; register one here:")
    let page = registration.page ?? registration.place
    if let page { report(page) }
    if registration.page == nil {
      report("acct: name: acct; redirect address (callback URL), if it asks for one:")
      report(registration.redirect)
    } else {
      report("acct: its fields are filled in")
    }
    if registration.usesDevice { report("acct: where it asks, allow the device flow") }
    if let page, page.hasPrefix("https://"), opensBrowser { _ = await context.world.browser.open(page) }
  }

  private func ask(_ prompt: String) throws(EngineError) -> String {
    guard let answer = context.world.terminal.ask(prompt)?.trimmed, !answer.isEmpty else { throw .cancelled }
    return answer
  }

  private func askSecret(_ registration: ProviderError.Registration) throws(EngineError) -> Secret {
    if let place = registration.place { context.world.report("acct: the client's secret is at \(place)") }
    guard let answer = context.world.terminal.askSecret("client secret: ") else { throw .cancelled }
    do { return try ClientSecret.check(answer) } catch { throw .input(.clientSecret(error)) }
  }
}
