package import AcctModel
package import AcctPorts
import Synchronization

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
    let fleet: (any AccountsInFleet)?
    let backends: (any AppBackends)?
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
    fleet: (any AccountsInFleet)? = nil,
    backends: (any AppBackends)? = nil,
    report: @escaping Waiting.Reporter
  ) {
    shared = Shared(
      Members(
        world: world,
        interaction: interaction,
        timeout: timeout,
        devices: devices,
        fleet: fleet,
        backends: backends,
        report: report
      )
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
  /// The keyring that several machines share; `nil` where this one shares none.
  package var fleet: (any AccountsInFleet)? { shared.members.fleet }
  /// The backends of the accounts that they alone renew; `nil` where there are none.
  package var backends: (any AppBackends)? { shared.members.backends }
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

/// A question that a person answers at the terminal.
package enum Prompt: Equatable, Sendable {
  /// A new token of a static account.
  case token(account: AccountName)
  /// A passphrase for a new export.
  case newPassphrase
  case passphraseAgain
  /// The passphrase of an existing export.
  case passphrase
  /// The address that the browser was redirected to.
  case callbackAddress
}

/// The words of a command for what use cases ask and decide; one reference, since a context is copied often.
package final class Voice: Sendable {
  let words: @Sendable (Prompt) -> String
  let explain: (@Sendable (Decision) -> Void)?
  private let notice: (@Sendable (Decision) -> Void)?

  /// - Parameters:
  ///   - words: Finds the words of a prompt.
  ///   - explain: Takes each decision; `nil` unless the user wants to know.
  ///   - notice: Takes each decision that shows a fault that the user can fix; `nil` if the user wants to know none.
  package init(
    words: @escaping @Sendable (Prompt) -> String,
    explain: (@Sendable (Decision) -> Void)?,
    notice: (@Sendable (Decision) -> Void)?
  ) {
    self.words = words
    self.explain = explain
    self.notice = notice
  }

  /// Tells that proofs for a server are to have its time, if a refusal has taught that.
  package func tellTime(of learned: ServerHint?, after known: ServerHint?, _ origin: Origin) {
    guard let learned, learned.isClockOff, known?.isClockOff != true else { return }
    notice?(.useServerTime(origin, secondsAhead: learned.clockOffset))
  }
}

extension EngineContext {
  /// The words of a prompt.
  func words(_ prompt: Prompt) -> String { voice?.words(prompt) ?? "" }

  /// Tells a decision, where the command tells any.
  package func tell(_ decision: @autoclosure () -> Decision) { voice?.explain?(decision()) }
}

/// A report to the user about a use case that waits, or chooses.
package enum Waiting: Sendable {
  /// A server gave no answer and is asked again; reported once a second, from `total` down to 1.
  case toAskAgain(secondsLeft: Int64, of: Int64, because: EngineError)
  /// The keyring can't store a server's answer, and gets so many seconds to be unlocked.
  case toStore(owner: String, Keyring.Kind, seconds: Int64)
  /// A device waits for its key to be touched.
  case forTouch
  /// The first account goes to a vault, since the desktop's keyring can't be reached.
  case vaultInstead(because: KeyringFailure)
  /// The wait is over.
  case over

  /// Takes the reports.
  package typealias Reporter = @Sendable (Waiting) -> Void
}

/// The pauses between attempts at a server that gives no answer: 2, 4 and 8 seconds, and up to half as much again, so
/// that clients that failed together do not retry together.
package struct BackOff {
  private var pauses: [Int64] = [2, 4, 8]

  package init() {}

  /// The next pause in seconds, or `nil` after the last attempt.
  ///
  /// - Parameter entropy: One byte of it is used.
  /// - Returns: Seconds.
  package mutating func next(_ entropy: Entropy) -> Int64? {
    guard !pauses.isEmpty else { return nil }
    let pause = pauses.removeFirst()
    return pause + Int64(entropy.bytes(1)[0]) % (pause / 2 + 1)
  }
}

extension Clock {
  /// Waits, and reports the seconds left every second.
  ///
  /// - Throws: ``EngineError/cancelled``.
  package func pause(_ seconds: Int64, because error: EngineError, _ report: Waiting.Reporter) async throws(EngineError)
  {
    defer { report(.over) }
    for left in stride(from: seconds, to: 0, by: -1) {
      report(.toAskAgain(secondsLeft: left, of: seconds, because: error))
      guard await sleep(1) else { throw .cancelled }
    }
  }
}
