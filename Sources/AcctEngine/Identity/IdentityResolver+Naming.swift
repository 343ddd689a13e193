import AcctModel

/// Who names the servers of an account that is there, so that each is asked as far as that reaches.
extension IdentityResolver {
  /// Who names an account's data server: the user, or the document that its DID leads to.
  func naming(ofServiceOf account: Account) -> Naming {
    if account.naming == .user { return .user }
    return naming(ofDocumentOf: account) ?? account.naming
  }

  /// Who names an account's issuer: the data server, where the DID leads to it.
  func naming(ofIssuerOf account: Account) -> Naming {
    guard account.issuerSource == .did, let service = account.service,
      let naming = naming(ofDocumentOf: account)
    else { return account.naming }
    return naming.document(at: service)
  }

  private func naming(ofDocumentOf account: Account) -> Naming? {
    guard let did = account.did, let url = try? url(ofDocumentOf: did) else { return nil }
    return (did.method == "web" ? account.naming : .user).document(at: url.origin)
  }
}
