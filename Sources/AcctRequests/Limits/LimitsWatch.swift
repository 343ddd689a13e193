import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import Secrets

/// Shows limits until Ctrl-C.
///
/// A terminal draws them anew each second, with the time that is left; elsewhere they follow each other as they change.
struct LimitsWatch: Sendable {
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
