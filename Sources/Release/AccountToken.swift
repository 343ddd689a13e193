package import AcctModel

/// A token of an account, and what it is for: a permit releases its own and no other.
package final class AccountToken: Sendable {
  package let token: Token
  package let owner: AccountID
  /// The purpose of an access token, if it differs from that of the account's own.
  package let purpose: TokenPurpose?
  package let isIDToken: Bool

  package init(_ token: Token, of owner: AccountID, for purpose: TokenPurpose? = nil, isIDToken: Bool = false) {
    self.token = token
    self.owner = owner
    self.purpose = purpose
    self.isIDToken = isIDToken
  }
}
