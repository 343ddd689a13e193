import AcctModel
package import AcctProtocol
import Secrets
import AcctPorts

extension Account {
  /// `true` if a sign-in, or its import, may have brought an ID token, and a renewal may bring the next.
  var mayHaveIDToken: Bool {
    guard kind == .oauth else { return false }
    // The server of an exchange issues one or does not, whatever the scope says.
    if client.grant.renewsItself { return subjectStatements.idToken != nil }
    return source != .issuer || requestedIDToken
  }

  /// `true` if its sign-in is known to have requested an ID token.
  var requestedIDToken: Bool {
    if Scope.words(scope).contains("openid") { return true }
    // A server need not list the word among those that it granted, and may have been asked for it by default.
    return subjectStatements.idToken != nil && signIn?.scope.map { Scope.words($0).contains("openid") } ?? true
  }
}

extension CredentialStore {
  /// Reads the ID token alone; a damaged one counts as missing, as the next renewal may replace it.
  package func idToken() async throws(EngineError) -> IDToken? { Self.idToken(in: try await items([.idToken])) }

  static func idToken(in items: [ItemKind: Secret]) -> IDToken? { items[.idToken].flatMap { try? IDToken($0) } }
}
