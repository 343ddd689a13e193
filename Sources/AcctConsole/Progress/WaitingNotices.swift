import AcctModel
import AcctEngine
import AcctPorts

/// Shows on standard error the reason why a command waits.
struct WaitingNotices: Sendable {
  let world: World
  let isQuiet: Bool

  /// Shows a line in place of the last one; `nil` where lines stay.
  private var replace: (@Sendable (String) -> Void)? {
    world.environment.variable("TERM") == "dumb" ? nil : world.streams.passing
  }

  /// Shows one: a countdown where a line can be replaced, else one line for each wait.
  @Sendable func show(_ waiting: Waiting) {
    switch waiting {
    case .toAskAgain(let left, let total, let error):
      guard !isQuiet else { return }
      let text = "acct: \(ErrorMessage(error).text); trying again in \(left) s"
      if let replace { replace(text) } else if left == total { world.streams.notice(text) }
    case .toStore(let owner, let kind, let seconds):
      // Printed with `--quiet` too: without this notice the user may lose the session.
      let name = kind == .vault ? "the vault" : "the keyring"
      world.streams.notice(
        "acct: \(name) can't store the new session of \(printable(owner)): "
          + "unlock it within \(duration(seconds)), or the session may be lost"
      )
    case .forTouch:
      // Printed with `--quiet` too: the command waits for it.
      world.streams.notice("acct: touch the token")
    case .vaultInstead(let failure):
      guard !isQuiet else { return }
      world.streams.notice("acct: accounts are kept in a vault, since \(ErrorMessage(failure, .secretService).text)")
    case .over: replace?("")
    }
  }
}
