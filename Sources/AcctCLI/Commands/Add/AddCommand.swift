import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import ArgumentParser

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
      acct add --resource URL [--client-id ID] [--scope S] [--device]
      acct add --backend URL [IDENTIFIER] [--callback PREFIX]
      acct add --session URL [IDENTIFIER] [--callback PREFIX]
      acct add --guest URL
      acct add --token FILE --allow-origin ORIGIN… [--header NAME] [--scheme WORD] [--basic USER]
      acct add --import FILE
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

  @Option(help: ArgumentHelp("Sign in at a backend that hands over its tokens.", valueName: "url"))
  var backend: String?

  @Option(help: ArgumentHelp("Sign in at a backend that keeps the tokens itself.", valueName: "url"))
  var session: String?

  @Option(help: ArgumentHelp("Begin a guest session at a backend.", valueName: "url"))
  var guest: String?

  @OptionGroup var staticToken: StaticTokenOptions

  @OptionGroup var signIn: SignInOptions

  @OptionGroup var client: ClientOptions

  @OptionGroup var key: KeyOptions

  @Option(help: "The name of the account.")
  var name: String?

  @Flag(help: "Do not make it the active account.")
  var noSwitch = false

  @Option(help: ArgumentHelp("One more origin that its headers may be sent to.", valueName: "origin"))
  var allowOrigin: [String] = []

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let name = try name.map { text throws(EngineError) in try parseName(text) }
    let origins = try allowOrigin.map { text throws(EngineError) in try parseOrigin(text) }
    let request = AddAccount.Options(name: name, activates: !noSwitch, allowedOrigins: origins)
    let added: AddAccount.Added
    if let guest {
      added = try await AddGuest(context.engine).add(at: try parseOrigin(guest), request)
    } else if let file = staticToken.file {
      let credentials = try AddStaticToken(context.engine).credentials(try staticToken.request(file, origins))
      // These origins are the token's own, and end with it: only those of `acct allow` stay.
      let own = AddAccount.Options(name: name, activates: !noSwitch, allowedOrigins: [])
      added = try await AddAccount(context.engine).add(credentials, own)
    } else if let importFile {
      switch try ImportFile(context.world).read(importFile) {
      case .export(let export): return try await take(export, request, context)
      case .credentials(let credentials): added = try await AddAccount(context.engine).add(credentials, request)
      }
    } else {
      let credentials: NewCredentials
      (credentials, added) = try await stored(request, context)
      if added.hasLostRefreshToken { context.report([.refreshTokenLost(account: added.account.name)]) }
      await revokeReplaced(added, by: credentials, context)
      context.report(await ClientChoice(context.engine).remember(added.account))
    }
    let account = added.account
    if account.origins.isEmpty {
      context.notice("no origin is known for \(account.name): `acct allow \(account.name) ORIGIN`")
    }
    if account.kind == .static, account.lastKnownState(at: context.world.clock.now()).state == .expired {
      context.notice("the token of \(account.name) has expired already, as its exp says")
    }
    let isReplaced = added.wasKnown && account.kind == .static
    let verb = isReplaced ? "replaced the token of" : added.wasKnown ? "renewed" : "added"
    let place = account.keyStorage == .software ? "" : ", with its key in \(words(for: account.keyStorage))"
    let done = "\(verb) \(account.name)\(place)"
    let status = try context.done(account, isConfirmed ? done : "\(done): \(account.person)")
    await tellOfOrphans(context)
    return status
  }

  /// Signs in, and stores the account; a key that was made in a token for it does not outlive a failure.
  private func stored(
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> (NewCredentials, AddAccount.Added) {
    let newKeys = NewKeys(context.engine)
    do throws(EngineError) {
      let stored = try await newKeys.guarding { () async throws(EngineError) in
        try await addAccount(request, newKeys, context)
      }
      context.report(newKeys.keep())
      return stored
    } catch {
      context.report(await newKeys.discard())
      throw error
    }
  }

  private func addAccount(
    _ request: AddAccount.Options,
    _ newKeys: NewKeys,
    _ context: Context
  ) async throws(EngineError) -> (NewCredentials, AddAccount.Added) {
    let credentials = try await signedIn(context)
    try newKeys.requireUse(in: credentials)
    context.report(credentials.notices)
    let added = try await AddAccount(context.engine, waitsToBegin: true).add(credentials, request)
    return (credentials, added)
  }

  /// Whether the server's answer is known to belong to this sign-in: callbacks of backends have no `state`.
  private var isConfirmed: Bool { backend == nil && session == nil }

  private func signedIn(_ context: Context) async throws(EngineError) -> NewCredentials {
    let provider = try provider.map { name throws(EngineError) in try Providers(context.world).resolve(name) }
    // With --no-browser another program may be the browser: the address is printed for it.
    let mayAsk = !context.options.noInput || signIn.noBrowser
    let isDeviceFlow = signIn.device || provider?.provider.flow == .device
    guard mayAsk || isDeviceFlow || client.grant != nil else { throw .signIn(.browserNeeded) }
    if issuer != nil || provider != nil || client.namesServer || signInResource != nil {
      return try await AddServer(context: context, signIn: signIn, client: client, key: key)
        .signIn(at: issuer, provider, signInResource, named: name)
    }
    // A keyring that can't take the tokens is found out before the user has signed in.
    try await AddAccount(context.engine).prepare()
    let prompts = SignInPrompts(context)
    if let backend {
      let request = try signIn.request(backend: backend, for: identifier, context)
      let credentials = try await BackendSignIn(context.engine).signIn(request, report: prompts.show)
      return try confirmed(credentials, context)
    }
    if let session {
      let credentials = try await SessionSignIn(context.engine).signIn(
        try signIn.request(session: session, for: identifier, context),
        report: prompts.show
      )
      return try confirmed(credentials, context)
    }
    var request = try signIn.request(identity: identifier ?? "", context)
    request.key = try key.wish(for: name, context.world.environment)
    return try await ATProtoSignIn(context.engine).signIn(request, report: prompts.show)
  }
}

/// An origin that the user typed.
func parseOrigin(_ text: String) throws(EngineError) -> Origin {
  do { return try Origin(text) } catch { throw .input(.malformed(error)) }
}
