import AcctModel

/// The sources that name an existing account's servers, so that each is asked within its reach.
extension IdentityResolver {
  /// The source of an account's data server: the user, or the document that its DID leads to.
  func naming(ofServiceOf account: Account) -> Naming {
    if account.naming == .user { return .user }
    return naming(ofDocumentOf: account) ?? account.naming
  }

  /// The source of an account's issuer: the data server, if the DID leads to it.
  func naming(ofIssuerOf account: Account) -> Naming {
    guard account.issuerSource == .did, let service = account.service, let naming = naming(ofDocumentOf: account)
    else { return account.naming }
    return naming.document(at: service)
  }

  private func naming(ofDocumentOf account: Account) -> Naming? {
    guard let did = account.did, let url = try? url(ofDocumentOf: did) else { return nil }
    return (did.method == "web" ? account.naming : .user).document(at: url.origin)
  }
}
