import AcctTestSupport
import Testing

/// A command that is tortured, with its required result.
struct Ordeal: Sendable {
  let name: String
  /// Whether there is another account, or nothing at all.
  var isInUse = true
  /// Whether it spends a refresh token, whose successor may be lost on its way.
  var losesSessions = false
  /// Whether a run takes seconds, and the sample is for one keyring only.
  var isSlow = false
  /// How many faults are enough where there is no time for all of them.
  var sample = 8
  /// Brings the scene into the state in which the command is run.
  let prepare: @Sendable (inout TortureScene) async throws -> Trial
}

/// A command that is about to run, and how to tell what it did.
struct Trial {
  let command: ChildProcess
  /// Looks after the faulty run at the account in question: what became of it, and whether the
  /// next command does what this one should have done.
  let judge: (Aftermath) async throws -> Verdict
}

/// What a faulty run left.
struct Aftermath {
  let scene: TortureScene
  let output: ChildProcess.Output
  let injection: Injection?

  /// Whether the command itself said that it had done its work.
  var isDone: Bool { output.status == 0 }
  var wasKilled: Bool { output.status == 128 + 9 }
  var comment: Comment {
    "\(injection.map(String.init(describing:)) ?? "counting"): \(output.status) \(output.errorText)"
  }
}

enum Verdict {
  case sound
  /// A session that ended between the server's answer and the first write: the documented window.
  case lost
}
