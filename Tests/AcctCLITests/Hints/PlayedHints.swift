import AcctCLI
import AcctModel
import AcctPorts
import Glibc
import Synchronization
import Testing

/// The hints that commands print in the tests of this process, each tried in a copy of its situation.
enum PlayedHints {
  /// What came of a hint.
  enum Outcome: String { case told, led, outside, shared }

  private static let known = Mutex<Set<String>>([])

  /// Tries the steps of a run's hint, once for each message.
  static func play(_ run: EndedRun, in world: World) async {
    guard let hint = run.hint, let message = run.message else { return }
    let command = run.arguments.first { !$0.hasPrefix("-") } ?? ""
    guard known.withLock({ $0.insert("\(run.status) \(command) \(message) \(hint)").inserted }) else { return }
    let outcome: Outcome
    do {
      outcome = try await result(of: run, in: world)
    } catch {
      Issue.record("acct \(run.arguments.joined(separator: " ")): \(message)\nhint: \(hint)\n\(error.text)")
      outcome = .told
    }
    if !run.isReport { note(run, outcome) }
  }

  /// A hint that leads back, that can't be followed, or that names nothing that is known.
  struct Circle: Error { let text: String }

  /// Follows each step of a run's hint in a copy of its own.
  ///
  /// - Parameters:
  ///   - run: The failure.
  ///   - world: Where it happened.
  /// - Returns: The best that came of a step.
  /// - Throws: ``Circle``.
  static func result(of run: EndedRun, in world: World) async throws(Circle) -> Outcome {
    let name = world.firstAccount?.description ?? "NAME"
    let steps = HintStep.all(of: run, choosing: name)
    guard !steps.isEmpty else {
      guard !run.isReport else { return .told }
      guard run.hint.flatMap(ToldHints.pattern) != nil else { throw Circle(text: "no row of ToldHints fits") }
      return .told
    }
    guard !Rehearsal(of: world).isShared else { return .shared }
    var outcome = Outcome.outside
    for step in steps where !step.isOfSeveralMachines {
      if try await follow(step, of: run, Rehearsal(of: world), seen: [run.message]) { outcome = .led }
    }
    return outcome
  }

  /// Follows a step, and the hints that it prints, to their end.
  ///
  /// - Returns: Whether acct alone led out; else something outside has to act.
  private static func follow(
    _ step: HintStep,
    of run: EndedRun,
    _ rehearsal: Rehearsal,
    seen: [String?]
  ) async throws(Circle) -> Bool {
    let line = "`acct \(step.arguments.joined(separator: " "))`"
    let ended = await rehearsal.run(step.arguments, isAtTerminal: true)
    guard !rehearsal.leadsOutside else { return false }
    guard ended.status != 0 else {
      guard step.mendsCommand else { return true }
      let again = await rehearsal.run(run.arguments, isAtTerminal: false)
      guard !rehearsal.leadsOutside else { return false }
      guard again.status == 0 || !seen.contains(again.message) else {
        throw Circle(text: "\(line) does not change it: \(again.message ?? "")")
      }
      return true
    }
    guard !seen.contains(ended.message) else { throw Circle(text: "\(line) leads back to: \(ended.message ?? "")") }
    guard ended.status != 64 || step.isBeginning else {
      throw Circle(text: "\(line) is no valid line: \(ended.message ?? "")")
    }
    for next in HintStep.all(of: ended, choosing: "NAME") where seen.count < 4 && !next.isOfSeveralMachines {
      _ = try await follow(next, of: ended, rehearsal, seen: seen + [ended.message])
    }
    return true
  }

  /// Writes a hint down for the summary of Tests/run.
  private static func note(_ run: EndedRun, _ outcome: Outcome) {
    guard let path = unsafe getenv("ACCT_HINTS"), let file = unsafe fopen(path, "a") else { return }
    unsafe fputs("\(run.status)\t\(outcome.rawValue)\t\(run.shapeOfHint)\n", file)
    unsafe fclose(file)
  }
}

extension EndedRun {
  /// The hint without the values of its lines, so that two that differ in them alone are one.
  fileprivate var shapeOfHint: String {
    guard let hint else { return "" }
    if let pattern = ToldHints.pattern(of: hint) { return pattern }
    return PrintedCommands.lines(in: hint).reduce(hint) { shape, line in
      let words = PrintedCommands.words(of: line) ?? []
      let hasSubcommands = ["helper", "key", "keyring", "vault"].contains { words.dropFirst().first == $0 }
      let names = hasSubcommands ? 3 : 2
      let kept = words.enumerated().map { $0.offset < names || $0.element.hasPrefix("-") ? $0.element : "*" }
      return shape.replacing(line, with: kept.joined(separator: " "))
    }
  }
}

extension HintStep {
  /// Whether it needs other machines, of which there is no copy.
  fileprivate var isOfSeveralMachines: Bool {
    arguments.first == "keyring" && arguments.dropFirst().first != "unlock" && arguments.last != "--help"
  }
}

extension World {
  /// The identifier of one of its accounts.
  fileprivate var firstAccount: AccountID? {
    (try? files.accounts())?.min { $0.description < $1.description }
  }
}
