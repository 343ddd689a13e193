/// Why the bus, or what came over it, was of no use.
package enum BusError: Error, Equatable, Sendable {
  /// It is not there, does not let us in, or hung up; what the system or the bus says.
  case unreachable(reason: String)
  /// The time was up.
  case timedOut
  /// What was received is not D-Bus, or not the types that were asked for.
  case malformed
  /// A message is longer than any that acct has a use for.
  case tooLarge
  /// The process that a signal was expected from left the bus.
  case peerLeft
}
