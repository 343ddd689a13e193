import AcctApps
import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import ArgumentParser

/// Signs in to an account again, in the way in which it was added.
struct LoginCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to an account again.",
    discussion: """
      What the account was added with is known: its server, client, scope, key and backend. Its id, its name and its \
      origins stay. NAME may also be what `acct add` takes: a provider, a handle or a URL.
      """
  )

  @Argument(help: "The account; the selected one by default.")
  var name: String?

  @Option(help: "The scope to ask for, from now on; '' is the server's usual one.")
  var scope: String?

  @Flag(help: "Sign in on another device, this time: show a code to enter there.")
  var device = false

  @Flag(help: "Open no browser: print the address, and read the callback address from stdin, too.")
  var noBrowser = false

  @Option(
    help: ArgumentHelp("Open the address with this command, this time; as BROWSER names one.", valueName: "command")
  )
  var browser: String?

  @Option(help: ArgumentHelp("How long to wait for the browser's answer.", valueName: "seconds"), transform: seconds)
  var wait: Int64 = 600

  @Option(help: ArgumentHelp("One more parameter of the authorization request, this time.", valueName: "name=value"))
  var param: [String] = []

  @Option(name: .customLong("client-id"), help: ArgumentHelp("Another client's id, from now on.", valueName: "id"))
  var clientID: String?

  @Flag(help: "Have the server register a new client, in place of the earlier one.")
  var register = false

  @Option(help: ArgumentHelp("Read the client's secret from your own file; - is stdin.", valueName: "file"))
  var clientSecretFile: String?

  @Option(help: ArgumentHelp("Read the client's private key from your own file.", valueName: "file"))
  var clientKey: String?

  @OptionGroup var certificate: CertificateOptions

  @Flag(name: .customLong("no-dpop"), help: "Request bearer tokens from now on, even of a server with DPoP.")
  var noDPoP = false

  @Option(help: ArgumentHelp("Read a static account's new token from your own file; - is stdin.", valueName: "file"))
  var token: String?

  @OptionGroup var key: KeyOptions

  @Flag(help: "End the former session at the server, once the new one is stored; status 4 if that fails.")
  var endFormer = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    try requireOneBrowser(browser, orNone: noBrowser, onDevice: device)
    guard (1...86_400).contains(wait) else { throw ValidationError("--wait is a number of seconds from 1 to 86400") }
    guard name == nil || options.account == nil else {
      throw ValidationError("NAME and --account are the same: give one")
    }
    guard !register || clientID == nil else { throw ValidationError("--register and --client-id exclude each other") }
    guard clientSecretFile == nil || clientKey == nil else {
      throw ValidationError("--client-secret-file and --client-key exclude each other")
    }
    try requireNoKey(key, besides: noDPoP)
    _ = try parameters { message in ValidationError("--param: \(message)") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let account: Account
    do { account = try await context.choose(name).account } catch {
      guard let name, error.tellsOfNoAccount, let add = addition(of: name, context) else { throw error }
      return try await add.run(in: context)
    }
    try requireFitting(account)
    switch account.kind {
    case .guest: return try await begin(account, context)
    case .static: return try await replaceToken(of: account, context)
    case .oauth, .session: return try await signIn(to: account, context)
    }
  }

  /// The parameters of this sign-in, checked.
  private func parameters<Failure: Error>(
    _ failure: (String) -> Failure
  ) throws(Failure) -> [RequestParameter] {
    var parameters: [RequestParameter] = []
    for text in param {
      do { parameters.append(try RequestParameter(text)) } catch { throw failure(ErrorMessage(error).text) }
    }
    return parameters
  }

  /// A new guest session at the same backend.
  private func begin(_ account: Account, _ context: Context) async throws(EngineError) -> ExitStatus {
    let added = try await AddGuest(context.engine).renew(account)
    return try context.done(added.account, "renewed \(added.account.name)")
  }

  private func replaceToken(of account: Account, _ context: Context) async throws(EngineError) -> ExitStatus {
    try await AddAccount(context.engine).prepare(for: account)
    let credentials = try AddStaticToken(context.engine).credentials(for: account, from: token)
    let added = try await AddAccount(context.engine).renew(account, with: credentials)
    return try context.done(added.account, "replaced the token of \(added.account.name)")
  }

  private func signIn(to account: Account, _ context: Context) async throws(EngineError) -> ExitStatus {
    let context = context.opening(browser)
    let login = Login(context.engine)
    let changes = try await changes(context)
    let way =
      if let way = try SignInWay.backend(of: account, changes) { way } else { try login.way(of: account, changes) }
    let hasBrowser = !options.noInput || noBrowser
    if !hasBrowser, !way.needsNoBrowser { throw .signIn(.browserNeeded) }
    let person = SignInPerson(context, hasBrowser: hasBrowser)
    let added = try await SignInRun(context, endsFormer: endFormer).run {
      () async throws(EngineError) in
      try await login.signIn(to: account, by: way, as: person)
    } store: { credentials async throws(EngineError) in
      try await AddAccount(context.engine).renew(account, with: credentials)
    }
    return try context.done(added.account, "signed in to \(added.account.name) again")
  }

  private func changes(_ context: Context) async throws(EngineError) -> Login.Changes {
    var changes = Login.Changes(opensBrowser: !noBrowser && !options.noInput, callbackTimeout: wait)
    changes.scope = scope
    changes.keyPlace = try key.wish(for: nil, context.world.environment).place
    changes.usesDevice = device
    changes.usesBrowser = browser != nil
    changes.wantsBearer = noDPoP
    changes.clientID = clientID
    changes.registersAnew = register
    changes.authorizationParameters = try parameters { (_: String) in EngineError.input(.malformed(.parameter)) }
    let files = ClientFiles(context.world)
    if let clientSecretFile { changes.clientSecret = try files.secret(clientSecretFile) }
    if let clientKey {
      let file = try files.key(clientKey)
      changes.clientKey = file.key
      changes.clientID = clientID ?? file.clientID
    }
    if let certificate = try await certificate.read(context) {
      changes.certificate = certificate.key
      changes.certificateFiles = certificate.files
    }
    return changes
  }

  /// Rejects an option that this kind of account has no use for.
  private func requireFitting(_ account: Account) throws(EngineError) {
    let given = [
      ("--scope", scope != nil), ("--device", device), ("--param", !param.isEmpty), ("--client-id", clientID != nil),
      ("--client-secret-file", clientSecretFile != nil), ("--client-key", clientKey != nil),
      ("--cert", certificate.isUsed),
      ("--token", token != nil),
      ("--key", key.isUsed), ("--register", register), ("--no-dpop", noDPoP), ("--end-former", endFormer),
    ]
    guard let stray = given.first(where: { $0.1 && !account.loginOptions.contains($0.0) }) else { return }
    throw .input(.loginOption(stray.0, account.name))
  }

  /// The `acct add` that a name means which no account has: a provider, a handle or a URL.
  private func addition(of name: String, _ context: Context) -> AddCommand? {
    if let provider = ProviderName(name.withoutCopyMarks) {
      guard (try? Providers(context.world).resolve(provider)) != nil else { return nil }
    } else {
      guard (try? ATProtoSignIn.Identifier(name)) != nil else { return nil }
    }
    var words = [name, "--wait", "\(wait)"] + option("--scope", scope) + option("--client-id", clientID)
    words += option("--client-secret-file", clientSecretFile) + option("--client-key", clientKey)
    words += option("--cert", certificate.cert) + option("--cert-key", certificate.certKey)
    words += option("--key", key.key) + (key.pin ? ["--pin"] : []) + param.flatMap { ["--param", $0] }
    words += (device ? ["--device"] : []) + (noDPoP ? ["--no-dpop"] : []) + (noBrowser ? ["--no-browser"] : [])
    words += option("--browser", browser) + (register ? ["--register"] : [])
    guard token == nil, !endFormer, var add = try? AddCommand.parse(words) else { return nil }
    add.options = options
    return add
  }
}
