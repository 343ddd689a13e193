import AcctModel
import AcctPorts

extension Naming {
  /// How far a request may reach that goes to an origin which was named so.
  ///
  /// - Throws: ``EngineError/http(_:_:)`` with ``HTTPFailure/inside(host:)`` where the host, as it is
  ///   written, lies where only the user may point. What names resolve to, the transport looks at.
  @discardableResult
  func checkedReach(to origin: Origin) throws(EngineError) -> Reach {
    let reach = reach(to: origin)
    guard reach.permits(origin) else { throw .http(.inside(host: origin.host), origin) }
    return reach
  }
}

extension Account {
  /// Who named the addresses that the account came with.
  var naming: Naming {
    switch source {
    case .issuer, .user: .user
    case .backend(let origin): .document(at: origin, reached: .anywhere)
    // A backend may have named the DID; an issuer was given by the user, or by a file of theirs.
    case nil: issuerSource == .did ? .remote : .user
    }
  }
}
