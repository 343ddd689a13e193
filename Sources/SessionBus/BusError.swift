/// Why the bus, or a message from it, could not be used.
package enum BusError: Error, Equatable, Sendable {
  /// It is not there, rejects us, or hung up; the reason of the system or the bus.
  case unreachable(reason: String)
  /// The deadline passed.
  case timedOut
  /// What was received is not D-Bus, or not the types that were asked for.
  case malformed
  /// A message is longer than any that acct can use.
  case tooLarge
  /// The process that a signal was expected from left the bus.
  case peerLeft
}
