import AcctPorts
package import FleetPorts

/// The check for an engine that has gone back to an earlier state, as after a backup was restored.
package enum StandingCheck: Equatable, Sendable {
  /// It goes on from the known standing; this one is the known one from now on.
  case fine(SharedStore.Standing)
  /// It is older than, or another than, the one known.
  case rolledBack

  /// Compares the standing that came with an answer.
  ///
  /// `known` is the standing that was known **before** the question was sent, `nil` for the first one: a parallel
  /// process may have learned a later revision from a later answer since.
  package init(known: SharedStore.Standing?, now: SharedStore.Standing) {
    guard let known else {
      self = .fine(now)
      return
    }
    self =
      known.identifier == now.identifier && known.revision <= now.revision
      ? .fine(now) : .rolledBack
  }

  /// `true` if an object contradicts this machine's copy of it, which a restored engine does that has since passed
  /// the known revision: an object's version is never lower than an earlier one, and never has other bytes.
  ///
  /// The copy is the one from **before** the question was sent.
  package static func contradicts(_ object: SharedStore.Object, copy: SharedStore.Object) -> Bool {
    object.version < copy.version || (object.version == copy.version && object.bytes != copy.bytes)
  }
}
