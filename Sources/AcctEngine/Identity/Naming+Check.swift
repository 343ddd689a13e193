package import AcctModel
import AcctPorts

extension Naming {
  /// Returns the reach of a request to an origin that this source named.
  ///
  /// - Throws: ``NetworkError/http(_:_:)`` with ``HTTPFailure/inside(host:)`` if only the user may name the host, as
  ///   it is written. The transport checks the addresses that names resolve to.
  @discardableResult
  func checkedReach(to origin: Origin) throws(EngineError) -> Reach {
    let reach = reach(to: origin)
    guard reach.permits(origin) else { throw .network(.http(.inside(host: origin.host), origin)) }
    return reach
  }
}

extension Account {
  /// The sources of the account's stored addresses.
  var naming: Naming {
    switch source {
    // At a renewal, a resource that names its issuer has no wider reach than at the sign-in.
    case .issuer where issuerSource == .resource:
      resources.first.map { .document(at: $0.origin, reached: .anywhere) } ?? .remote
    case .issuer, .user: .user
    case .backend(let origin): .document(at: origin, reached: .anywhere)
    // A backend may have named the DID; an issuer came from the user, or from a file of theirs.
    case nil: issuerSource == .did ? .remote : .user
    }
  }
}

/// The sources that name an existing account's servers, so that each is asked within its reach.
extension IdentityResolver {
  /// The source of an account's data server: the user, or the document that its DID leads to.
  package func naming(ofServiceOf account: Account) -> Naming {
    if account.naming == .user { return .user }
    return naming(ofDocumentOf: account) ?? account.naming
  }

  /// The source of an account's issuer: the data server, if the DID leads to it.
  package func naming(ofIssuerOf account: Account) -> Naming {
    guard account.issuerSource == .did, let service = account.service, let naming = naming(ofDocumentOf: account)
    else { return account.naming }
    return naming.document(at: service)
  }

  private func naming(ofDocumentOf account: Account) -> Naming? {
    guard let did = account.did, let url = try? url(ofDocumentOf: did) else { return nil }
    return (did.method == "web" ? account.naming : .user).document(at: url.origin)
  }
}
