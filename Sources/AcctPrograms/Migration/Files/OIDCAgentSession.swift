package import AcctEngine
import AcctModel
package import Secrets
import StrictJSON
import Release

/// An account of oidc-agent, as `oidc-gen --print` shows it.
package enum OIDCAgentSession {
  /// - Throws: ``MigrationFlaw/notJSON``; also if a part is missing that a renewal needs.
  package static func parse(_ output: Secret) throws(MigrationFlaw) -> TakeOverSession.Session {
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
      return TakeOverSession.Session(
        issuer: try Issuer(address),
        clientID: clientID,
        clientSecret: text("client_secret").map { Secret($0) },
        refreshToken: RefreshToken(try Token(Secret(refreshToken))),
        scope: text("scope")
      )
    } catch {
      throw .notJSON
    }
  }
}
