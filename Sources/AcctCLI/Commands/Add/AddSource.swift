import AcctApps
import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts
import AcctPrograms
import AcctProtocol

/// The source of an account's credentials, as the options of `acct add` name it.
enum AddSource {
  /// An app's backend.
  case app(BackendSource)
  /// A token in a file.
  case token(String)
  /// A key of a provider, in a file.
  case key(ProviderName, file: String)
  /// The logins of another program; `nil`: a list of all.
  case program(OtherProgram?)
  /// The keys of a `.env` file.
  case envFile
  /// A file of credentials, or an export.
  case file(String)
  /// An identity of AT Protocol.
  case network(String)
  /// An OAuth 2 server.
  case server(ServerName)

  /// The names of a server.
  enum ServerName {
    case issuer(String)
    case provider(ProviderName)
    /// The client's options: an endpoint, or a service account's file.
    case client
    case resource(String)
  }

  /// `true` if the server's answer is known to belong to this sign-in.
  var isConfirmed: Bool { if case .app(let source) = self { source.isConfirmed } else { true } }

  /// The resource that names the server.
  var resource: String? { if case .server(.resource(let text)) = self { text } else { nil } }

  var isServer: Bool { if case .server = self { true } else { false } }
}

extension AddCommand {
  /// Every source that the options name; ``validate()`` makes sure that it is one.
  var sources: [AddSource] {
    var sources = app.sources.map(AddSource.app)
    let key = staticToken.file.flatMap { file in keyProvider.map { AddSource.key($0, file: file) } }
    if let file = staticToken.file { sources.append(key ?? .token(file)) }
    if let source = from.source { sources.append(source == .env ? .envFile : .program(source.program)) }
    if let importFile { sources.append(.file(importFile)) }
    if let issuer { sources.append(.server(.issuer(issuer))) }
    // A backend may be told which identity to sign in, and another program which login is meant; elsewhere a name
    // selects its own way. A word without a dot is no handle.
    if let identifier = identifier?.withoutCopyMarks, !app.signsIn, from.source == nil, key == nil {
      sources.append(ProviderName(identifier).map { .server(.provider($0)) } ?? .network(identifier))
    }
    guard sources.isEmpty else { return sources }
    if client.namesServer { return [.server(.client)] }
    return signIn.resource.first.map { [.server(.resource($0))] } ?? []
  }

  /// The provider that is named beside `--token`.
  private var keyProvider: ProviderName? {
    guard !app.signsIn, from.source == nil else { return nil }
    return identifier.flatMap { ProviderName($0.withoutCopyMarks) }
  }

  /// The way to sign in that a source names; `nil` for one without a sign-in.
  ///
  /// - Throws: ``SignInError/browserNeeded``, ``InputError``, ``ProviderError``.
  func way(from source: AddSource, _ context: Context) async throws(EngineError) -> SignInWay? {
    var provider: ResolvedProvider?
    if case .server(.provider(let name)) = source { provider = try Providers(context.world).resolve(name) }
    let usesDevice = signIn.device || signIn.browser == nil && provider?.provider.flow == .device
    guard hasBrowser(context) || usesDevice || client.grant != nil else { throw .signIn(.browserNeeded) }
    switch source {
    case .token, .key, .program, .envFile, .file: return nil
    case .app(let source):
      let way = try source.signIn(for: identifier, clientID: signIn.clientID, signIn.route(context))
      return way.map(SignInWay.app)
    case .network(let identity):
      var request = try signIn.request(identity: identity, context)
      request.key = try key.wish(for: name, context.world.environment)
      return .network(request)
    case .server(let server):
      try provider?.requireSignIn()
      var issuer: String?
      if case .issuer(let text) = server { issuer = text }
      var request = try signIn.request(issuer, client, context)
      if let certificate = try await certificate.read(context) {
        request.certificate = certificate.key
        request.settings.certificate = certificate.key.note(certificate.files)
      }
      if let owner = client.subjectAccount {
        request.settings.inputs.grantToken = .account(try await Selection(context.engine).find(owner).id)
      }
      request.key = try key.wish(for: name, context.world.environment)
      return .server(
        ServerSignIn.Request(
          request,
          provider: provider,
          resource: try source.resource.map(parseResource),
          usesDevice: signIn.device,
          usesBrowser: signIn.browser != nil,
          isDirect: client.grant != nil,
          accountName: name
        )
      )
    }
  }

  /// The person who runs the command.
  func person(_ context: Context) -> SignInPerson {
    var person = SignInPerson(context, hasBrowser: hasBrowser(context))
    let terminal = context.world.terminal
    let canAsk = context.canAsk
    person.confirmIdentity = { (handle, did) throws(EngineError) in
      // Without a terminal the name is printed after "added".
      guard canAsk else { return }
      guard terminal.asksYes("add \(words(for: handle, did))? [y/N] ") else { throw .cancelled }
    }
    return person
  }

  /// `true` if a browser can be asked for; with `--no-browser` another program may be it, and the address is printed.
  private func hasBrowser(_ context: Context) -> Bool { !context.options.noInput || signIn.noBrowser }
}

extension SignInPerson {
  /// The person who runs a command, and who is asked for no identity.
  init(_ context: Context, hasBrowser: Bool) {
    let terminal = context.world.terminal
    let confirmHost: @Sendable (Origin) -> Bool = { origin in
      terminal.asksYes("did you sign in at \(origin.authority), and at no other host? [y/N] ")
    }
    self.init(
      hasBrowser: hasBrowser,
      show: SignInPrompts(context).show,
      notify: { notices in context.report(notices) },
      confirmHost: context.canAsk ? confirmHost : nil,
      confirmIdentity: { (_, _) in }
    )
  }
}

extension Account {
  /// Handle and DID, for the user to check.
  var person: String { words(for: handle, did) }
}

private func words(for handle: Handle?, _ did: DID?) -> String {
  let known = [handle?.description, did?.description].compactMap(\.self)
  return known.isEmpty ? "an unknown person" : known.joined(separator: ", ")
}

/// An origin that the user typed.
func parseOrigin(_ text: String) throws(EngineError) -> Origin {
  do { return try Origin(text) } catch { throw .input(.malformed(error)) }
}

func parsePlace(_ text: String) throws(EngineError) -> Place {
  do { return try Place(text) } catch { throw .input(.malformed(error)) }
}

private func parseResource(_ text: String) throws(EngineError) -> ResourceIndicator {
  do { return try ResourceIndicator(text) } catch { throw .input(.malformed(error)) }
}
