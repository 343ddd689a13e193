import AcctModel
import AcctEngine
import AcctPorts

/// Shows on standard error what a command waits for.
struct WaitingNotices: Sendable {
  private let report: @Sendable (String) -> Void
  /// Shows a line in place of the last one; `nil` where lines stay.
  private let replace: (@Sendable (String) -> Void)?
  private let isQuiet: Bool

  init(_ context: Context) {
    report = context.world.streams.notice
    isQuiet = context.options.quiet
    let isDumb = context.world.environment.variable("TERM") == "dumb"
    replace = isDumb ? nil : context.world.streams.passing
  }

  /// Shows one: a countdown where a line can be replaced, else one line for each wait.
  @Sendable func show(_ waiting: Waiting) {
    switch waiting {
    case .toAskAgain(let left, let total, let error):
      guard !isQuiet else { return }
      let text = "acct: \(ErrorMessage(error).text); trying again in \(left) s"
      if let replace { replace(text) } else if left == total { report(text) }
    case .toStore(let owner, let kind, let seconds):
      // Printed with `--quiet` too: without this notice the user may lose the session.
      let name = kind == .vault ? "the vault" : "the keyring"
      report(
        "acct: \(name) can't store the new session of \(printable(owner)): "
          + "unlock it within \(duration(seconds)), or the session may be lost"
      )
    case .over: replace?("")
    }
  }
}
