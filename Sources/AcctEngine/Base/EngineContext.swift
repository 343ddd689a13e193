package import AcctPorts

/// The environment of a use case: everything outside, and the rules for access to the user and the network.
///
/// A command makes one and passes it on. Permission to use the network at all is not part of it: only
/// ``TokenProvider`` can work without, so it takes that as an argument.
///
/// A copy is one reference, as of ``World``: nearly every use case has one.
package struct EngineContext: Sendable {
  private var shared: Shared

  /// Immutable: a context that is changed gets a new one.
  private final class Shared: Sendable {
    let members: Members

    init(_ members: Members) { self.members = members }
  }

  private struct Members: Sendable {
    var world: World
    var interaction: Interaction
    var timeout: Int
    let devices: (any KeysInDevices)?
    var hints: KeptHints?
    var report: Waiting.Reporter
    var program: String?
    var voice: Voice?
  }

  package init(
    _ world: World,
    _ interaction: Interaction,
    timeout: Int,
    devices: (any KeysInDevices)? = nil,
    report: @escaping Waiting.Reporter
  ) {
    shared = Shared(
      Members(world: world, interaction: interaction, timeout: timeout, devices: devices, report: report)
    )
  }

  private mutating func change(_ change: (inout Members) -> Void) {
    var members = shared.members
    change(&members)
    shared = Shared(members)
  }

  package var world: World {
    get { shared.members.world }
    set { change { $0.world = newValue } }
  }
  /// The permission to ask a person to unlock the keyring.
  package var interaction: Interaction {
    get { shared.members.interaction }
    set { change { $0.interaction = newValue } }
  }
  /// Seconds that one request may take.
  package var timeout: Int {
    get { shared.members.timeout }
    set { change { $0.timeout = newValue } }
  }
  /// The keys in devices that the command uses; `nil` where there are none.
  package var devices: (any KeysInDevices)? { shared.members.devices }
  /// The hints about servers that the process keeps; `nil` for a command, which reads each once.
  package var hints: KeptHints? {
    get { shared.members.hints }
    set { change { $0.hints = newValue } }
  }
  /// Takes the reports about a use case that waits.
  package var report: Waiting.Reporter {
    get { shared.members.report }
    set { change { $0.report = newValue } }
  }
  /// The program that the command answers, for the histories of accounts: a helper's protocol, or `proxy`.
  package var program: String? {
    get { shared.members.program }
    set { change { $0.program = newValue } }
  }
  /// The command's words, where it has any.
  package var voice: Voice? {
    get { shared.members.voice }
    set { change { $0.voice = newValue } }
  }

  /// The same environment, in which one request may take no more than so many seconds.
  func waiting(atMost seconds: Int) -> EngineContext {
    var context = self
    context.timeout = min(timeout, seconds)
    return context
  }
}
