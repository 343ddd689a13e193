package import AcctModel
import AcctPorts

/// The state of an account and, where there is one, the reason for it.
package struct Assessment: Equatable, Sendable {
  package var state: SessionState
  package var reason: String?

  package init(_ state: SessionState, reason: String? = nil) {
    self.state = state
    self.reason = reason
  }
}

/// What the keyring had to say.
enum Evidence: Equatable {
  /// It was not asked: the last known state counts.
  case none
  /// It didn't give an answer.
  case failure(KeyringFailure)
  /// It holds nothing that could be used or renewed.
  case missing
  /// It holds what a request needs.
  case present
}

extension Account {
  /// Decides the state, from what is known and what the keyring said.
  ///
  /// A keyring that is locked or doesn't answer makes the state unknown, never signed out; the
  /// server's word stands, whatever the keyring says.
  ///
  /// - Parameters:
  ///   - evidence: The keyring's answer.
  ///   - now: The time to decide for.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The state, and the reason for it.
  func assess(_ evidence: Evidence, at now: Timestamp, leaving minimum: Int64? = nil) -> Assessment
  {
    if case .reauthRequired(let reason) = standing {
      return Assessment(.reauthRequired, reason: reason)
    }
    switch evidence {
    case .failure(.locked(let reason)): return Assessment(.locked, reason: reason)
    case .failure(.cancelled): return Assessment(.locked)
    case .failure(.unavailable(let reason)), .failure(.failed(let reason)):
      return Assessment(.unavailable, reason: reason)
    case .failure(.timedOut):
      return Assessment(.unavailable, reason: "the keyring did not answer in time")
    case .missing:
      return Assessment(.signedOut, reason: "its secrets are not in the keyring")
    case .none:
      if case .signedOut(let reason) = standing { return Assessment(.signedOut, reason: reason) }
    case .present: break
    }
    return Assessment(lease.state(at: now, leaving: minimum))
  }

  /// The state as far as it is known without asking the keyring or anyone else.
  package func lastKnownState(at now: Timestamp) -> Assessment { assess(.none, at: now) }
}
