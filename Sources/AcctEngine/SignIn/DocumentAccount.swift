import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// The account that a document brings for one process, in a world that keeps nothing.
package struct DocumentAccount: Sendable {
  private let context: EngineContext
  private let foreign: ImportFile.ForeignFailure?

  /// - Parameters:
  ///   - context: Of a world that ``World/keepingNothing()`` made.
  ///   - foreign: Knows the files of other programs.
  package init(_ context: EngineContext, knowing foreign: ImportFile.ForeignFailure?) {
    self.context = context
    self.foreign = foreign
  }

  /// Reads a document, signs in if it describes how, and makes its account the active one.
  ///
  /// A refresh token is not kept: the token that a server gives in its place would be lost with the process, and the
  /// session with it.
  ///
  /// - Parameter path: A file, or `-` for standard input.
  /// - Throws: ``InputError/stream(_:)``, ``InputError/handoff(_:)``, ``EngineError/inputToken(_:)``, or the reason why
  ///   the sign-in failed.
  package func load(_ path: String) async throws(EngineError) {
    let json = try ImportFile(context.world, knowing: foreign).json(path)
    guard !SignInDescription.isLikely(json) else {
      let description: SignInDescription
      do { description = try SignInDescription(json) } catch { throw .input(.handoff(error)) }
      return try await store(try await signIn(description, path), allowing: description.origins)
    }
    let handoff: Handoff
    do { handoff = try Handoff(json, receivedAt: context.world.clock.now(), isFile: true) } catch {
      throw .input(.handoff(error))
    }
    var credentials = NewCredentials(handoff, from: .user, redacting: context.world.held.redactor)
    credentials.refreshToken = nil
    credentials.tokenLifetime.canRenew = false
    try await store(credentials, allowing: [])
  }

  private func store(_ credentials: NewCredentials, allowing origins: [Origin]) async throws(EngineError) {
    let options = AddAccount.Options(name: nil, activates: true, allowedOrigins: origins.map { Place($0) })
    _ = try await AddAccount(context).add(credentials, options)
  }

  private func signIn(_ description: SignInDescription, _ path: String) async throws(EngineError) -> NewCredentials {
    let paths = path == "-" ? InputPaths(context) : try InputPaths(of: path, context)
    var inputs = TokenInputs(
      subjectType: description.subjectType,
      requestedType: description.requestedType,
      audiences: description.audiences
    )
    inputs.clientAssertion = try description.clientAssertionFile.map { path throws(EngineError) in
      try paths.absolute(path, "clientAssertionFile")
    }
    if let file = description.grantFile { inputs.grantToken = .file(try paths.absolute(file, "subjectTokenFile")) }
    if let line = description.grantProgram {
      inputs.grantToken = .program(try paths.absolute(line, "subjectTokenCommand"))
    }
    let request = SignIn.Request(
      issuer: description.issuer,
      clientID: description.clientID,
      scope: description.scope,
      resources: description.resources,
      opensBrowser: false,
      redirectPort: nil,
      callbackTimeout: 0,
      settings: ClientSettings(grant: description.grant, inputs: inputs)
    )
    let provider = try description.provider.map { name throws(EngineError) in try Providers(context.world).resolve(name)
    }
    let person = SignInPerson(
      hasBrowser: false,
      show: { _ in },
      notify: { _ in },
      confirmHost: nil,
      confirmIdentity: { (_, _) in }
    )
    return try await ServerSignIn(context, person).signIn(
      ServerSignIn.Request(
        request,
        provider: provider,
        resource: nil,
        usesDevice: false,
        isDirect: true,
        accountName: nil
      )
    )
  }
}
