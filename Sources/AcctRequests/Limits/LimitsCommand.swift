package import AcctConsole
package import AcctEngine
package import AcctModel
import AcctPorts
package import ArgumentParser
import Release
import Secrets
import StrictJSON

/// Shows the rest of an account's limits.
package struct LimitsCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show what is left, of how much, and when it resets.",
    discussion: "As servers last reported to acct; sends no request."
  )

  @Argument(help: "The account, or a URL that selects one; the selected one by default.")
  var name: String?

  @Flag(help: "Every account.")
  var all = false

  @Flag(help: "Exit with 9 if nothing is left of a limit.")
  var check = false

  @Flag(help: "Show them until Ctrl-C, as they change.")
  var watch = false

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard !all || name == nil && options.account == nil else {
      throw ValidationError("--all means every account: give no name")
    }
    guard !watch || !check && !options.json else {
      throw ValidationError("--watch shows text until Ctrl-C: leave out --check and --json")
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let chosen = all ? nil : try await chosen(context)
    let none = "no server has reported a limit\(chosen.map { " of \($0.name)" } ?? "") yet"
    if watch {
      try await LimitsWatch(context).run { () throws(EngineError) in
        let rows = self.rows(try self.limits(of: chosen, context))
        let lines = limitLines(rows, at: context.world.clock.now(), on: context.screen)
        return (rows.map(\.limit), lines.isEmpty ? [none] : lines)
      }
      return .done
    }
    let limits = try self.limits(of: chosen, context)
    let now = context.world.clock.now()
    if options.json {
      try context.output(chosen.map { limitsJSON(limits[0].limits, of: $0, at: now) } ?? limitsJSON(limits, at: now))
    } else {
      let lines = limitLines(rows(limits), at: now, on: context.screen)
      if lines.isEmpty { context.notice(none) } else { try context.output(lines) }
    }
    let isUsedUp = limits.contains { $0.limits.contains { $0.isUsedUp(at: now) } }
    return check && isUsedUp ? .rateLimited : .done
  }

  private func chosen(_ context: Context) async throws(EngineError) -> Account {
    guard let name, name.contains("://") else { return try await context.choose(name).account }
    let destination = try Authorize.Target(method: nil, url: name).destination
    let account = try await context.choose(for: destination).account
    if let destination {
      do { try account.requireOwn(destination.url.origin) } catch { throw .authorization(error) }
    }
    return account
  }

  /// The limits of the account, or of every one.
  private func limits(of account: Account?, _ context: Context) throws(EngineError) -> [AccountLimits] {
    let ledger = LimitsLedger(context.world)
    if let account { return [(account, ledger.limits(of: account.id))] }
    // While they are shown anew, a line would be printed again and again.
    let accounts = watch ? try AccountOverview(context.engine).listing().accounts : try context.everyAccount()
    return accounts.map { ($0, ledger.limits(of: $0.id)) }
  }

  private func rows(_ limits: [AccountLimits]) -> [(name: String?, limit: RateLimit)] {
    limits.flatMap { account, limits in limits.map { (all ? account.name.description : nil, $0) } }
  }
}

/// Shows limits until Ctrl-C.
///
/// A terminal draws them anew each second, with the time that is left; elsewhere they follow each other as they change.
private struct LimitsWatch: Sendable {
  private let world: World
  /// `true` if a terminal draws new lines over the old ones.
  private let redraws: Bool
  /// Returns the limits, and the lines that show them now.
  typealias Look = @Sendable () throws(EngineError) -> (limits: [RateLimit], lines: [String])

  init(_ context: Context) {
    world = context.world
    redraws = world.streams.outputIsTerminal && !world.terminalIsDumb
  }

  /// - Throws: What `look` throws, or ``FilesError/output(_:)``.
  func run(_ look: @escaping Look) async throws(EngineError) {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let work = Task { () async -> Result<Void, EngineError> in
      for await _ in starts {}
      do throws(EngineError) { return .success(try await show(look)) } catch { return .failure(error) }
    }
    let watch = world.signals.watch { work.cancel() }
    defer { watch.release() }
    // Not before a signal can end it.
    start.finish()
    try await work.value.get()
  }

  private func show(_ look: Look) async throws(EngineError) {
    var shown: (limits: [RateLimit], lines: [String])?
    while !Task.isCancelled {
      let next = try look()
      if redraws ? next.lines != shown?.lines : next.limits != shown?.limits {
        // Up to the first of the old lines, and erase from there (ECMA-48, sections 8.3.22 and 8.3.39).
        let erasure = redraws ? shown.map { "\u{1B}[\($0.lines.count)A\u{1B}[J" } : nil
        do {
          try world.streams.output(Secret((erasure ?? "") + next.lines.map { $0 + "\n" }.joined()))
        } catch {
          throw .files(.output(error))
        }
        shown = next
      }
      guard await world.clock.sleep(1) else { return }
    }
  }
}

/// An account's limits.
typealias AccountLimits = (account: Account, limits: [RateLimit])

/// The lines that show limits, one for each: its account if there may be several, its owner, on a terminal a bar, and
/// the words.
package func limitLines(_ limits: [(name: String?, limit: RateLimit)], at now: Timestamp, on screen: Screen) -> [String]
{
  let rows = limits.map { name, limit in
    [
      name.map { Cell($0) }, Cell(limit.label),
      Cell(screen.columns == nil ? "" : bar(limit, at: now, on: screen), .faint),
      Cell(words(for: limit, at: now)),
    ]
  }
  let isShown = [limits.contains { $0.name != nil }, true, rows.contains { $0[2]?.text.isEmpty == false }, true]
  let columns: [Table.Column] = [.init("", floor: 12), .init("", floor: 12), .init("", rank: 0), .init("", floor: 20)]
  return Table(
    columns: zip(columns, isShown).filter(\.1).map(\.0),
    rows: rows.map { row in zip(row, isShown).filter(\.1).map { $0.0 ?? "" } }
  )
  .lines(on: screen)
}

/// The `limits` object of the contract.
func limitsJSON(_ limits: [RateLimit], of account: Account, at now: Timestamp) -> JSON {
  .object(envelope(limitMembers((account, limits), at: now)))
}

/// The `limits` object of the contract for every account.
func limitsJSON(_ all: [AccountLimits], at now: Timestamp) -> JSON {
  .object(envelope(["accounts": .array(all.map { .object(JSONObject(limitMembers($0, at: now))) })]))
}

private func limitMembers(_ limits: AccountLimits, at now: Timestamp) -> KeyValuePairs<String, JSON> {
  [
    "account": .string(limits.account.id.description),
    "accountName": .string(limits.account.name.description),
    "limits": .array(limits.limits.map { $0.json(at: now) }),
  ]
}

/// In characters.
private let barWidth = 10

/// The share that is left, in tenths; something left is never drawn as nothing.
private func bar(_ limit: RateLimit, at now: Timestamp, on screen: Screen) -> String {
  guard let most = limit.limit, most > 0, let remaining = limit.remaining, !limit.isOver(at: now) else { return "" }
  let share = Double(min(remaining, most)) / Double(most) * Double(barWidth)
  let filled = Int(share.rounded(.up))
  let (full, empty) = screen.isUnicode ? ("█", "░") : ("#", ".")
  return String(repeating: full, count: filled) + String(repeating: empty, count: barWidth - filled)
}
