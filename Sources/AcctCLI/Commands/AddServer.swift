import AcctEngine
import AcctModel
import AcctProtocol

/// A sign-in at an OAuth 2 server that was named by its issuer or as a provider.
struct AddServer {
  let context: Context
  let signIn: SignInOptions
  let client: ClientOptions

  /// Signs in, after a client has been found.
  ///
  /// - Parameters:
  ///   - issuer: As it was typed, if it was.
  ///   - provider: The provider, if one was typed.
  ///   - name: The account's name, if the user chose one.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  func signIn(
    at issuer: String?,
    _ provider: ResolvedProvider?,
    named name: String?
  ) async throws(EngineError) -> NewCredentials {
    if let provider, provider.provider.kind == .appPassword {
      throw .provider(
        .appPassword(
          title: provider.provider.title ?? provider.typed,
          makeAt: provider.registerAt,
          provider.origins.first
        )
      )
    }
    var request = try signIn.request(issuer, client, context)
    let given = request.clientID
    if let provider { request.fill(from: provider) }
    // A keyring that can't take the tokens is found out before the user has signed in.
    try await AddAccount(context.engine).prepare()
    let prefersDevice = provider?.provider.flow == .device
    if client.grant != nil {
      guard !request.clientID.isEmpty else { throw ClientChoice.missing(request) }
      return try await DirectSignIn(context.engine).signIn(request)
    }
    let clients = ClientChoice(context.engine)
    try await clients.complete(&request, at: provider, usesDevice: signIn.device || prefersDevice)
    // Such a server wants the client's secret of a sign-in in the browser, and none on another device.
    let usesDevice = signIn.device || prefersDevice && request.clientSecret == nil
    let prompts = SignInPrompts(context)
    var credentials =
      usesDevice
      ? try await DeviceSignIn(context.engine).signIn(request, report: prompts.show)
      : try await SignIn(context.engine).signIn(request, report: prompts.show)
    // Without a subject, the next sign-in could not find the account.
    credentials.identity.subject =
      credentials.identity.subject ?? name ?? credentials.identity.issuer?.url.origin.authority
      ?? credentials.service?.authority
    if let provider { try await clients.remember(given, for: provider) }
    return credentials
  }
}
