package import AcctPorts

/// The environment of a use case: everything outside, and the rules for access to the user and the network.
///
/// A command makes one and passes it on. Permission to use the network at all is not part of it: only
/// ``TokenProvider`` can work without, so it takes that as an argument.
package struct EngineContext: Sendable {
  package var world: World
  /// The permission to ask a person to unlock the keyring.
  package var interaction: Interaction
  /// Seconds that one request may take.
  package var timeout: Int
  /// The keys in devices that the command uses.
  let deviceKeys = DeviceKeys()
  /// The hints about servers that the process keeps; `nil` for a command, which reads each once.
  var hints: KeptHints?
  /// The executor for the proxy's blocking work; `nil` to do it on the calling thread.
  var sideExecutor: (any TaskExecutor)?
  /// Takes the reports about a use case that waits.
  package var report: Waiting.Reporter

  /// The program that the command answers, for the histories of accounts: a helper's protocol, or `proxy`.
  package var program: String?

  /// The command's words, where it has any.
  package var voice: Voice?

  package init(_ world: World, _ interaction: Interaction, timeout: Int, report: @escaping Waiting.Reporter) {
    self.world = world
    self.interaction = interaction
    self.timeout = timeout
    self.report = report
  }

  /// The same environment, in which one request may take no more than so many seconds.
  func waiting(atMost seconds: Int) -> EngineContext {
    var context = self
    context.timeout = min(timeout, seconds)
    return context
  }

  /// Runs work that could block its thread, such as access to a file or a keyring, where no other request waits for
  /// it.
  func aside<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(sideExecutor, operation: body)
  }
}
