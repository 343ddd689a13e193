import AcctEngine
import AcctModel

/// Signs in wherever a resource server says (RFC 9728).
extension AddCommand {
  /// The resource that names its authorization server; `nil` where something else says where to sign in.
  var signInResource: String? {
    let other = [identifier, importFile, issuer, backend, session, guest]
    return other.contains { $0 != nil } ? nil : signIn.resource.first
  }

  /// What to ask of the server that a resource trusts.
  ///
  /// The scope is the one of the resource's challenge, if the user names none.
  ///
  /// - Throws: ``EngineError``: the resource leads nowhere, or its server needs a client identifier.
  func discovered(
    from text: String,
    _ context: Context
  ) async throws(EngineError) -> SignIn.Request {
    let resource: ResourceIndicator
    do { resource = try ResourceIndicator(text) } catch { throw .input(.malformed(error)) }
    let found = try await ResourceDiscovery(context.engine).find(resource)
    var request = try signIn.request(found.issuer.description, context)
    request.scope = signIn.scope ?? found.scope
    request.naming = found.naming
    request.issuerSource = .resource
    if request.scope == nil, !found.offered.isEmpty {
      context.report([.scopesOffered(Array(found.offered.prefix(20)), resource.origin)])
    }
    return request
  }
}
