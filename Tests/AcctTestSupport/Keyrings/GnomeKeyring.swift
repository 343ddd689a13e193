import Secrets
import Synchronization

/// A real GNOME Keyring on a bus of its own, which a test starts, locks, freezes and kills.
package final class GnomeKeyring: DesktopKeyring {
  package let bus: PrivateBus
  private let daemon: Mutex<Daemon>
  /// The password that it is started with.
  private let password: String

  /// Starts bus and keyring, and waits until the keyring answers.
  ///
  /// - Parameters:
  ///   - withCollection: whether there is a default collection, which is then unlocked.
  ///   - onStockBus: whether the bus has the distribution's policy.
  /// - Throws: ``HarnessFailure`` if one of them is not installed, or does not start.
  package init(withCollection: Bool = true, onStockBus: Bool = false) throws(HarnessFailure) {
    bus = try PrivateBus(hasStockPolicy: onStockBus)
    password = Self.password
    daemon = Mutex(try Self.start(on: bus, unlocked: withCollection))
  }

  /// Starts a bus, and a keyring with collections that are there.
  ///
  /// - Parameters:
  ///   - collections: a folder with the collections' files, and the name of the default one.
  ///   - withLogin: whether a collection `login` is opened, too; otherwise it is a desktop that signs in by itself.
  /// - Throws: ``HarnessFailure``.
  package init(collections: String, withLogin: Bool = false) throws(HarnessFailure) {
    bus = try PrivateBus()
    try Daemon.run(["cp", "-r", collections, bus.folder.path + "/data/keyrings"], environment: [:])
    password = withLogin ? Self.password : ""
    daemon = Mutex(try Self.start(on: bus, unlocked: true, password: password))
  }

  /// Ends the keyring and starts it again, as at the next start of its desktop.
  package func restart() throws(HarnessFailure) {
    kill()
    let started = try Self.start(on: bus, unlocked: true, password: password)
    daemon.withLock { $0 = started }
  }

  /// Locks the default collection.
  package func lock() throws(HarnessFailure) {
    try call("org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/aliases/default']")
  }

  /// Unlocks the default collection, as a login does.
  package func unlock() throws(HarnessFailure) {
    try KeyringControl.unlock(runtimeFolder: bus.folder.path + "/run", password: Self.password)
  }

  /// Stops the keyring where it is.
  package func freeze() { daemon.withLock { $0.freeze() } }

  /// Lets a frozen keyring go on.
  package func thaw() { daemon.withLock { $0.thaw() } }

  /// Ends the keyring alone; its bus runs on, and its items are kept.
  package func kill() { daemon.withLock { $0.stop() } }

  /// Whether the keyring has ended, if only of itself.
  package var hasEnded: Bool { daemon.withLock { $0.hasEnded } }

  /// Starts the keyring again after its end, locked: as before anyone has logged in.
  package func startLocked() throws(HarnessFailure) {
    let started = try Self.start(on: bus, unlocked: false)
    daemon.withLock { $0 = started }
  }

  private static let name = "org.freedesktop.secrets"
  private static let password = "test"

  private static func start(
    on bus: PrivateBus,
    unlocked: Bool,
    password: String = password
  ) throws(HarnessFailure) -> Daemon {
    let password = try bus.folder.file("password", password)
    let daemon = try Daemon(
      ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : ["--start"]),
      environment: bus.environment,
      input: password
    )
    try bus.wait(for: name)
    return daemon
  }
}
