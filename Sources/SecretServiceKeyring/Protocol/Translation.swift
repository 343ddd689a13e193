import Secrets
import AcctPorts
import SessionBus

extension KeyringFailure {
  /// Translates the name of an error that the provider or the bus answered with.
  ///
  /// Only the name is passed on: the rest of the message is the provider's, and it has seen secrets.
  init(errorName name: String) {
    self =
      switch name {
      case "org.freedesktop.Secret.Error.IsLocked": .locked()
      case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        .unavailable(reason: "no Secret Service is running")
      // The bus answers for a provider that ended while it was being asked.
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected": .wentAway
      case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut": .timedOut
      case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
        .unavailable(reason: "the session bus refused it")
      case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
        .unavailable(reason: "the Secret Service could not be started")
      default: .failed(reason: "the Secret Service answered \(name)")
      }
  }

  /// Translates an error of the bus itself.
  init(_ error: BusError) {
    self =
      switch error {
      case .unreachable(let reason): .unavailable(reason: reason)
      case .timedOut: .timedOut
      case .malformed: .failed(reason: "the session bus violates its specification")
      case .tooLarge: .failed(reason: "an answer on the session bus is longer than 4 MiB")
      case .peerLeft: .wentAway
      }
  }

  /// The provider's process has left the bus.
  static let wentAway = KeyringFailure.unavailable(reason: "the Secret Service stopped")

  /// An answer of another shape than the specification gives it.
  static func malformedAnswer(to method: String) -> KeyringFailure {
    .failed(reason: "the Secret Service answered \(method) against its specification")
  }
}
