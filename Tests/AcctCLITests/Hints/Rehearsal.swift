import AcctCLI
import AcctModel
import AcctPorts
import Secrets
import Synchronization

/// A copy of a test's world, in which a hint is tried: it reads what the world has, and changes only itself.
///
/// Where a server, a person, another machine or another program has to act, that fails, and the rehearsal leads outside
/// from then on.
final class Rehearsal: Sendable {
  struct State {
    var files: [StoredFile: [UInt8]?] = [:]
    var items: [Keyring.Kind: [AccountID: [ItemKind: Secret?]]] = [:]
    var seconds: Int64 = 0
    var draws: UInt8 = 128
    var leadsOutside = false
    var lines: [String] = []
    var output = ""
  }

  let state = Mutex(State())
  private let base: World

  init(of world: World) { base = world }

  /// Whether something outside had to act.
  var leadsOutside: Bool { state.withLock { $0.leadsOutside } }

  /// Lets the rehearsal lead outside, and returns how that fails there.
  func leave<Failure>(_ failure: Failure) -> Failure {
    state.withLock { $0.leadsOutside = true }
    return failure
  }

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - arguments: The line, without the program's name.
  ///   - isAtTerminal: Whether a person could be asked, as one who pastes a hint can.
  /// - Returns: What it ended with.
  func run(_ arguments: [String], isAtTerminal: Bool) async -> EndedRun {
    state.withLock { ($0.lines, $0.output) = ([], "") }
    let status = await Acct.run(arguments, in: world(isAtTerminal), parsedBy: ParsedLines.parse.callAsFunction)
    let (lines, output) = state.withLock { ($0.lines, $0.output) }
    return EndedRun(arguments, status, lines: lines, output: output)
  }

  private func world(_ isAtTerminal: Bool) -> World {
    var world = base
    world.held = HeldSecrets()
    world.files = files(over: base.files)
    world.secretService = keyring(over: base.secretService)
    world.vaultKeyring = usesVault ? keyring(over: base.vaultKeyring) : awayKeyring(.vault)
    world.vault = vault(over: base.vault)
    world.sharedKeyring = { self.awayKeyring($0) }
    world.streams = streams(over: base.streams)
    world.terminal = terminal(isAtTerminal || base.terminal.canAsk())
    world.clock.now = { [now = base.clock.now] in
      Timestamp(clamped: now().secondsSince1970 + self.state.withLock { $0.seconds })
    }
    world.clock.sleep = { [sleep = base.clock.sleep] seconds in
      guard seconds < 600 else { return await sleep(seconds) }
      self.state.withLock { $0.seconds += seconds }
      return true
    }
    world.entropy = Entropy { count in
      self.state.withLock { state in
        state.draws &+= 1
        return Array(repeating: state.draws, count: count)
      }
    }
    leaveOutside(&world)
    return world
  }

  /// Whether the vault is what the base world keeps its accounts in.
  private var usesVault: Bool { base.environment.variable("ACCT_KEYRING") == "vault" || decision == "vault" }

  /// Whether the base world shares its accounts with other machines, of which there is no copy.
  var isShared: Bool {
    let kinds = [base.environment.variable("ACCT_KEYRING"), decision].compactMap { $0.flatMap(Keyring.Kind.init) }
    return kinds.contains(where: \.isShared)
  }

  private var decision: String? {
    guard let bytes = try? base.files.read(.keyringDecision) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
