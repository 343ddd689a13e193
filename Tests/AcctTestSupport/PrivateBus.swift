/// A session bus of a test's own, which starts no services.
package final class PrivateBus: Sendable {
  package let address: String
  package let folder: PrivateFolder
  /// The environment in which this bus is the session's, and nothing is the user's own.
  package let environment: [String: String]
  private let daemon: Daemon

  /// Starts the bus, and waits until it listens.
  package init() throws(HarnessFailure) {
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
    let configuration = try folder.file(
      "bus.conf",
      """
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <policy context="default">
          <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
        </policy>
      </busconfig>
      """
    )
    daemon = try Daemon(
      ["dbus-daemon", "--nofork", "--print-address", "--config-file=\(configuration)"],
      environment: environment
    )
    guard daemon.firstLine().hasPrefix("unix:") else { throw HarnessFailure("no bus") }
  }

  deinit { stop() }

  /// Stops the bus where it is; one can connect to it, and nothing answers.
  package func freeze() { daemon.freeze() }

  /// Lets a frozen bus go on.
  package func thaw() { daemon.thaw() }

  /// Ends the bus, and removes all of its files.
  package func stop() {
    daemon.stop()
    folder.remove()
  }

  /// Waits until somebody on the bus has a name.
  package func wait(for name: String) throws(HarnessFailure) {
    try Daemon.run(["gdbus", "wait", "--session", "--timeout=10", name], environment: environment)
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
