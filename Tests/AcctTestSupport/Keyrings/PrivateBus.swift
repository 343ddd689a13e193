import Synchronization

/// A session bus of a test's own, which starts no services.
package final class PrivateBus: Sendable {
  package let address: String
  package let folder: PrivateFolder
  /// The environment in which this bus is the session's, and nothing is the user's own.
  package let environment: [String: String]
  private let daemon: Mutex<Daemon>
  private let configuration: String

  /// Starts the bus, and waits until it listens.
  ///
  /// - Parameter hasStockPolicy: whether its policy is the distribution's, which passes unrequested
  ///   replies on; otherwise the bus drops those itself.
  /// - Throws: ``HarnessFailure`` if it does not start.
  package init(hasStockPolicy: Bool = false) throws(HarnessFailure) {
    folder = try PrivateFolder()
    let runtime = try folder.subfolder("run")
    address = "unix:path=\(runtime)/bus"
    environment = [
      "DBUS_SESSION_BUS_ADDRESS": address,
      "HOME": folder.path,
      "XDG_RUNTIME_DIR": runtime,
      "XDG_DATA_HOME": try folder.subfolder("data"),
      "XDG_CACHE_HOME": try folder.subfolder("cache"),
      "XDG_CONFIG_HOME": try folder.subfolder("config"),
    ]
    // With no folder of services the only provider is the one that the test starts.
    let ownPolicy = """
      <policy context="default">
        <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
      </policy>
      """
    let policy =
      hasStockPolicy
      ? try Daemon.run(
        ["sed", "-n", "/<policy/,/<\\/policy>/p", "/usr/share/dbus-1/session.conf"],
        environment: [:]
      ) : ownPolicy
    configuration = try folder.file(
      "bus.conf",
      """
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        \(policy)
      </busconfig>
      """
    )
    daemon = Mutex(try Self.start(configuration, environment))
  }

  deinit { stop() }

  /// Stops the bus where it is; one can connect to it, and nothing answers.
  package func freeze() { daemon.withLock { $0.freeze() } }

  /// Lets a frozen bus go on.
  package func thaw() { daemon.withLock { $0.thaw() } }

  /// Ends the bus, with every client's connection to it, and starts it again at the same address.
  package func restart() throws(HarnessFailure) {
    daemon.withLock { $0.stop() }
    let started = try Self.start(configuration, environment)
    daemon.withLock { $0 = started }
  }

  /// How many connections there have been, this question's included.
  package func connections() throws(HarnessFailure) -> Int {
    let names = try call("org.freedesktop.DBus.ListNames", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus")
    // Unique names are numbered in the order of connecting, and the last is the one that asks.
    let numbers = names.split(separator: "':1.").compactMap { Int($0.prefix { $0.isNumber }) }
    guard let last = numbers.max() else { throw HarnessFailure("no unique name in \(names)") }
    return last + 1
  }

  /// Ends the bus, and removes all of its files.
  package func stop() {
    daemon.withLock { $0.stop() }
    folder.remove()
  }

  private static func start(_ configuration: String, _ environment: [String: String]) throws(HarnessFailure) -> Daemon {
    let daemon = try Daemon(
      ["dbus-daemon", "--nofork", "--print-address", "--config-file=\(configuration)"],
      environment: environment
    )
    guard daemon.firstLine().hasPrefix("unix:") else { throw HarnessFailure("no bus") }
    return daemon
  }

  /// Waits until a name on the bus has an owner.
  package func wait(for name: String) throws(HarnessFailure) {
    try Daemon.run(["gdbus", "wait", "--session", "--timeout=60", name], environment: environment)
  }

  /// Makes a call, and returns the answer in GVariant's text format.
  ///
  /// - Throws: ``HarnessFailure`` if the answer is an error.
  @discardableResult
  package func call(
    _ method: String,
    of name: String,
    at path: String,
    _ arguments: [String] = []
  ) throws(HarnessFailure) -> String {
    let call = ["gdbus", "call", "--session", "--dest=\(name)", "--object-path=\(path)"]
    return try Daemon.run(call + ["--method=\(method)"] + arguments, environment: environment)
  }
}
