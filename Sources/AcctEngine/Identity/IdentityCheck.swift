import AcctModel
import AcctPorts
import AcctProtocol

/// Checks, before a refresh token is spent, that an account's DID still leads to its issuer.
///
/// A lookup is valid for less than 10 minutes, so that a script that renews often does not ask the
/// directory each time.
struct IdentityCheck: Sendable {
  private let context: EngineContext
  private let resolver: IdentityResolver

  init(_ context: EngineContext) {
    self.context = context
    resolver = IdentityResolver(context)
  }

  private static let lifetime: Int64 = 540

  /// Checks an account and applies the changes that are safe.
  ///
  /// A new handle that points back, and a new data server behind the same authorization server, are
  /// stored: the tokens are still that server's, and the DID's document names the rest.
  ///
  /// - Parameter account: Changed in place.
  /// - Returns: The source that names the issuer.
  /// - Throws: ``SignInError/moved(account:to:)`` where the DID leads to another issuer.
  func check(_ account: inout Account) async throws(EngineError) -> Naming {
    guard let did = account.did else { return account.naming }
    let issuer = account.identity.issuer
    if let found = remembered(did), found == (account.service, issuer?.description) {
      return resolver.naming(ofIssuerOf: account)
    }

    let document = try await resolver.document(of: did, named: account.naming)
    let current = try await resolver.issuer(of: document.service, named: document.naming)
    guard issuer == nil || current == issuer else { throw .signIn(.moved(account: account.name, to: document.service)) }
    if let old = account.service { account.origins.move(from: old, to: document.service) }
    account.identity.issuer = current
    account.service = document.service
    if document.handle != account.handle, let handle = await resolver.confirmedHandle(of: document) {
      account.handle = handle
    }
    remember(did, document.service, current)
    return document.naming.document(at: document.service)
  }

  private func remembered(_ did: DID) -> (service: Origin?, issuer: String?)? {
    guard let bytes = try? context.world.files.read(.identity(did)) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { " \n".contains($0) }
    guard words.count == 3, let seconds = Int64(words[0]), let time = Timestamp(secondsSince1970: seconds),
      (0...Self.lifetime).contains(context.world.clock.now().seconds(since: time))
    else { return nil }
    return (try? Origin(String(words[1])), String(words[2]))
  }

  /// Caches the lookup: if it can't be written, the next renewal asks again.
  private func remember(_ did: DID, _ service: Origin, _ issuer: Issuer) {
    let line = "\(context.world.clock.now().secondsSince1970) \(service) \(issuer)\n"
    try? context.world.files.replace(.identity(did), Array(line.utf8))
  }
}
