package import AcctPorts

/// What a use case works with: everything outside, and how it may treat the user and the network.
///
/// A command makes one and passes it on. Whether a command may use the network at all is not part of
/// it: only ``TokenProvider`` can do without, so it is told.
package struct EngineContext: Sendable {
  package var world: World
  /// Whether a person may be asked to unlock the keyring.
  package var interaction: Interaction
  /// Seconds that one request may take.
  package var timeout: Int
  /// The keys in devices that the command has to do with.
  let deviceKeys = DeviceKeys()
  /// What the process remembers of servers; `nil` for a command, which reads it once.
  var hints: KeptHints?
  /// Where the proxy does what could hold up a thread of its server; `nil` for where it is asked for.
  var sideExecutor: (any TaskExecutor)?
  /// Takes what the user should know while a use case waits.
  package var report: Waiting.Reporter

  /// Takes each decision; `nil` unless the user wants to know.
  package var explain: (@Sendable (Decision) -> Void)?

  package init(_ world: World, _ interaction: Interaction, timeout: Int, report: @escaping Waiting.Reporter) {
    self.world = world
    self.interaction = interaction
    self.timeout = timeout
    self.report = report
  }

  /// Does what could hold up its thread, such as with a file or a keyring, where no other request waits for it.
  func aside<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(sideExecutor, operation: body)
  }
}
