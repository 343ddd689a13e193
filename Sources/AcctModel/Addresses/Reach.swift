/// The addresses that a request may go to.
package enum Reach: Sendable {
  case anywhere
  /// No loopback, link-local or private address: neither in the URL nor by what its name resolves
  /// to.
  case publicOnly

  /// Returns `true` if a request may go to an origin, as far as its host alone tells.
  package func permits(_ origin: Origin) -> Bool { self == .anywhere || origin.mayBePublic }
}

/// The source of an address, which decides how far a request to it may reach.
///
/// A remote server's documents must not send acct to services of this machine or its network, which
/// trust every local client. The user may name any address.
package enum Naming: Equatable, Sendable {
  /// The user: an argument, an option, a variable of the environment, a file of theirs.
  case user
  /// A document that an origin served, which itself could be reached so.
  case document(at: Origin, reached: Reach)
  /// A server at an unknown place.
  case remote

  /// Returns the reach of a request to an origin that this source named.
  ///
  /// A document may name addresses of its own place: on this machine, or at its own origin.
  package func reach(to origin: Origin) -> Reach {
    switch self {
    case .user: .anywhere
    case .document(let place, let reached): place.isLoopback || place == origin ? reached : .publicOnly
    case .remote: .publicOnly
    }
  }

  /// The source of the addresses in a document that is fetched from an origin from this source.
  package func document(at origin: Origin) -> Naming { .document(at: origin, reached: reach(to: origin)) }
}
