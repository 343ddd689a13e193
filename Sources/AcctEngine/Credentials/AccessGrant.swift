package import AcctModel
package import AcctProtocol

/// A token that can be used now, with the key that it is bound to.
package struct AccessGrant: Sendable {
  package var token: Token
  package var key: DPoPKey?
  package var expiresAt: Timestamp?
  package var notices: [Notice]
}
