import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import StrictJSON

/// The result of `rotate` for an account.
struct RotateOutcome {
  let account: Account
  var result: Result<Rotation.Outcome, EngineError> = .success(Rotation.Outcome())
  private let clock: Clock

  init(account: Account, _ clock: Clock) {
    self.account = account
    self.clock = clock
  }

  /// Why there is no new credential, if there is none.
  var errorMessage: ErrorMessage? {
    guard case .failure(let error) = result else { return nil }
    var message = ErrorMessage(error).timed(by: clock).naming(account.name)
    if case .signIn(.tokenNeeded) = error {
      message.hint =
        "`\(acctLine("rotate", account.name.description, "--token", "FILE"))` reads it from your own file; - is stdin"
    }
    return message
  }

  private var outcome: Rotation.Outcome? { try? result.get() }

  /// `true` if there is a new credential, and the former ones have ended.
  var isDone: Bool { outcome.map { $0.left.isEmpty && !$0.needsSignIn } ?? false }

  /// Tells it to a person; a former credential that is left, and a failure, also with `--quiet`.
  func tell(_ context: Context) {
    let name = account.name
    if var errorMessage {
      if !errorMessage.text.contains(name.description) { errorMessage.text = "\(name): \(errorMessage.text)" }
      context.world.reportFailure(errorMessage)
    }
    guard let outcome else { return }
    context.report(outcome.notices)
    if isNew { context.notice("rotated \(name)") }
    for former in outcome.left { context.world.report("acct: \(words(for: former))") }
    if outcome.needsSignIn { context.world.report("acct: \(loginHint(name))") }
  }

  private func words(for former: Rotation.Former) -> String {
    let name = account.name
    if former.kind == .token, former.cause.isSame { return "the new token of \(name) is the former one" }
    let what =
      switch former.kind {
      case .accessToken: "the former access token"
      case .refreshToken: "the former refresh token"
      case .session: "the session"
      case .token: "the former token"
      }
    let end = former.endsAt.map { ", which expires at \(moment($0, by: clock))" } ?? ""
    let way = former.cause.isSame ? "; `\(loginLine(name, ["--end-former"]))` ends it with its session" : ""
    return "the server did not end \(what) of \(name)\(end): \(AcctConsole.words(for: former.cause))\(way)"
  }

  /// `true` if there is a new credential.
  private var isNew: Bool {
    outcome.map { !$0.needsSignIn && !$0.left.contains { $0.kind == .token && $0.cause.isSame } } ?? false
  }

  private var word: String {
    guard let outcome else { return "failed" }
    return isNew ? "rotated" : outcome.left.isEmpty ? "ended" : "notEnded"
  }

  /// An element of `accounts` in the output of `rotate --json`.
  var json: JSON {
    let left = outcome?.left ?? []
    return [
      "account": .string(account.id.description),
      "name": .string(account.name.description),
      "result": .string(word),
      "left": .array(
        left.map { former in
          [
            "credential": .string(former.kind.rawValue),
            "endsAt": .init(former.endsAt?.description),
            "reason": .string(AcctConsole.words(for: former.cause)),
          ]
        }
      ),
      "needsSignIn": .bool(outcome?.needsSignIn ?? false),
      "error": errorMessage?.errorObject ?? .null,
    ]
  }
}

extension Notice.Cause {
  /// `true` if the credential that was given is the former one.
  fileprivate var isSame: Bool { if case .notReplaced = self { true } else { false } }
}
