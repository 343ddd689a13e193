import Secrets

/// A real provider of the Secret Service that a test starts on a bus of its own, and locks and kills.
package protocol DesktopKeyring: Sendable {
  var bus: PrivateBus { get }

  /// Locks it, so that only a person could unlock it.
  func lock() throws(HarnessFailure)

  /// Unlocks it, as its user does.
  func unlock() throws(HarnessFailure)

  /// Ends the provider alone; its bus runs on.
  func kill()
}

extension DesktopKeyring {
  /// The address of its bus.
  package var busAddress: String { bus.address }

  /// The environment in which a child process meets this keyring.
  package var environment: [String: String] { bus.environment }

  /// Ends keyring and bus, and removes all that they kept.
  package func stop() {
    kill()
    bus.stop()
  }

  /// Calls a method of the service, and returns the answer in GVariant's text format.
  @discardableResult
  package func call(
    _ method: String,
    at path: String = "/org/freedesktop/secrets",
    _ arguments: String...
  ) throws(HarnessFailure) -> String { try bus.call(method, of: "org.freedesktop.secrets", at: path, arguments) }

  /// Asks again and again whether the default collection is there and as it should be, since some
  /// providers answer first and do it then.
  func wait(untilLocked locked: Bool) throws(HarnessFailure) {
    var answer = ""
    // Each question takes some milliseconds; so many are far more than it ever takes.
    for _ in 0..<2000 {
      // No such object yet is an answer as well.
      do throws(HarnessFailure) {
        answer = try call(
          "org.freedesktop.DBus.Properties.Get",
          at: "/org/freedesktop/secrets/aliases/default",
          "org.freedesktop.Secret.Collection",
          "Locked"
        )
      } catch { answer = error.description }
      if answer == "(<\(locked)>,)\n" { return }
    }
    throw HarnessFailure("the default collection is not \(locked ? "" : "un")locked: \(answer)")
  }
}
