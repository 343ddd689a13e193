package import AcctModel
package import Secrets
import StrictJSON
package import Release

/// An account of oidc-agent, as `oidc-gen --print` shows it.
package struct OIDCAgentSession: Sendable {
  package let issuer: Issuer
  package let clientID: String
  package let clientSecret: Secret?
  package let refreshToken: Token
  package let scope: String?

  /// - Throws: ``MigrationFlaw/notJSON``; also if a part is missing that a renewal needs.
  package init(_ output: Secret) throws(MigrationFlaw) {
    let json = try? output.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    guard let object = json?.objectValue else { throw .notJSON }
    func text(_ names: String...) -> String? {
      names.lazy.compactMap { object[$0]?.stringValue }.first { !$0.isEmpty }
    }
    // Since version 5 it writes `issuer` and, in an older file, `issuer_url`; it adds a slash that the server's own
    // metadata need not have.
    guard let address = text("issuer_url", "issuer"), let clientID = text("client_id"),
      let refreshToken = text("refresh_token")
    else { throw .notJSON }
    do throws(ParseError) {
      issuer = try Issuer(address)
      self.refreshToken = try Token(Secret(refreshToken))
    } catch {
      throw .notJSON
    }
    self.clientID = clientID
    clientSecret = text("client_secret").map { Secret($0) }
    scope = text("scope")
  }
}
