/// Which addresses a request may go to.
package enum Reach: Sendable {
  case anywhere
  /// No loopback, link-local or private address: neither in the URL nor by what its name resolves
  /// to.
  case publicOnly

  /// Whether an origin may be asked, as far as its host tells by itself.
  package func permits(_ origin: Origin) -> Bool { self == .anywhere || origin.mayBePublic }
}

/// Who named an address that a request goes to, which decides how far the request may reach.
///
/// What a remote server publishes must not send acct to services of this machine or its network,
/// which trust whatever comes from there. The user may name any address.
package enum Naming: Equatable, Sendable {
  /// The user: an argument, an option, a variable of the environment, a file of theirs.
  case user
  /// A document that an origin served, which itself could be reached so.
  case document(at: Origin, reached: Reach)
  /// A server, and nothing is known of where it is.
  case remote

  /// How far a request may reach that goes to an origin which was named so.
  ///
  /// A document may name what lies where it lies itself: on this machine, or at its own origin.
  package func reach(to origin: Origin) -> Reach {
    switch self {
    case .user: .anywhere
    case .document(let place, let reached):
      place.isLoopback || place == origin ? reached : .publicOnly
    case .remote: .publicOnly
    }
  }

  /// Who names what a document names that is fetched from an origin which was named so.
  package func document(at origin: Origin) -> Naming {
    .document(at: origin, reached: reach(to: origin))
  }
}
