package import AcctModel
package import Secrets
package import AcctPorts
import AcctProtocol
import StrictJSON
import Release

/// An account's file, and its items in the keyring.
package struct StoredAccount: Equatable, Sendable {
  package var account: Account
  package var items: [ItemKind: Secret]

  package init(account: Account, items: [ItemKind: Secret]) {
    self.account = account
    self.items = items
  }

  /// The items in the order in which they are written: irreplaceable ones first.
  package var orderedItems: [Keyring.Item] {
    let first: [ItemKind] = [.keypair, .clientSecret, .clientKey, .certificate, .certificateKey, .refreshToken]
    let kinds = first + ItemKind.allCases.filter { !first.contains($0) }
    return kinds.compactMap { kind in items[kind].map { Keyring.Item(kind, $0) } }
  }

  /// `true` if the credential itself is there, and the key if it is bound to one.
  var isUsable: Bool { items[account.kind.tokenItem] != nil && (account.tokenType != .dpop || items[.keypair] != nil) }

  /// `true` if everything in it is of the form that acct would have stored.
  ///
  /// It comes from outside: a token must fit on a header line, the key must be one and be the
  /// account's, and a guest must not pass for an account that can be renewed.
  var isSound: Bool { account.hasConsistentKind && isUsable && unsoundItem == nil && hasOwnCertificate }

  /// `true` if it has a certificate and its key exactly if its file describes it.
  private var hasOwnCertificate: Bool {
    let pair = (items[.certificate], items[.certificateKey])
    guard let note = account.client.certificate else { return pair.0 == nil && pair.1 == nil }
    guard let certificate = pair.0, let key = pair.1 else { return false }
    return (try? CertifiedKey(certificate: certificate, key: key))?.thumbprint == note.thumbprint
  }

  /// The kind of an item that is not of the form that acct would have stored; `nil` if all are.
  package var unsoundItem: ItemKind? { items.first { kind, secret in !isSound(kind, secret) }?.key }

  private func isSound(_ kind: ItemKind, _ secret: Secret) -> Bool {
    switch kind {
    case .accessToken, .refreshToken, .session, .guest, .clientSecret, .expiresAt, .handle, .did, .certificate,
      .certificateKey, .idToken, .registration:
      kind.isWellFormed(secret)
    case .staticToken: (try? Token(secret, sentAs: account.sentAs)) != nil
    case .clientKey: (try? ClientKey(privateJWK: secret)) != nil
    // They are not exported: each can be obtained again.
    case .secondTokens, .roleKeys: false
    case .keypair:
      // A key in a device is in another machine's.
      account.keyStorage == .software
        && (try? DPoPKey(privateJWK: secret)).map { $0.thumbprint == account.thumbprint } ?? false
    }
  }
}

extension ItemKind {
  /// `true` for an item of the form that acct writes, where that form needs neither the account nor a key's arithmetic.
  ///
  /// Keys, second tokens and static tokens have rules of their own, and pass.
  package func isWellFormed(_ secret: Secret) -> Bool {
    switch self {
    case .accessToken, .refreshToken, .session, .guest: (try? Token(secret)) != nil
    case .clientSecret: (try? ClientSecret.check(secret)) != nil
    case .expiresAt: (try? Timestamp(secret.shownText)) != nil
    case .handle: (try? Handle(secret.shownText)) != nil
    case .did: (try? DID(secret.shownText)) != nil
    // Nothing else is a certificate or a key in the keyring: no reference to a device of this machine, above all.
    case .certificate, .certificateKey: secret.isPEM
    case .idToken: (try? IDToken(secret)) != nil
    case .roleKeys: (try? KeptRoleKeys(secret)) != nil
    case .registration: RegistrationAccess(secret) != nil
    case .keypair, .clientKey, .secondTokens, .staticToken: true
    }
  }

  /// `true` for an item of a later version of acct: of those that are JSON, one of another version of its form.
  package func isNewer(_ secret: Secret) -> Bool {
    guard self == .secondTokens || self == .roleKeys || self == .registration else { return false }
    let members = secret.withBytes { bytes in try? JSON(parsing: bytes) }?.objectValue
    return members?["version"]?.numberValue?.integer.map { $0 > 1 } ?? false
  }
}

extension Secret {
  fileprivate var isPEM: Bool {
    let first = Array("-----BEGIN ".utf8)
    return withBytes { bytes in bytes.count > first.count && first.indices.allSatisfy { bytes[$0] == first[$0] } }
  }
}

extension Account {
  /// `true` if its tokens are of a type that its kind has.
  package var hasConsistentKind: Bool {
    switch kind {
    case .oauth: tokenType == .dpop || tokenType == .bearer || tokenType == .none
    case .session: tokenType == .session
    case .guest: tokenType == .guest
    case .static: tokenType == .static && !tokenLifetime.canRenew
    }
  }
}
