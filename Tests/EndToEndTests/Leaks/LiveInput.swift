import AcctTestSupport
import Testing

/// What a test writes to while a child reads from it.
protocol LiveInput {
  /// The same program, reading from here.
  func feeding(_ child: ChildProcess) -> ChildProcess
}

extension OpenInput: LiveInput {}

extension ControllingTerminal: LiveInput {
  func feeding(_ child: ChildProcess) -> ChildProcess { controlling(child) }
}

/// A secret that comes from a person's fingers.
extension LeakStage {
  /// Has the passphrase of an export typed, twice.
  func runTyped() async throws {
    let terminal = try ControllingTerminal()
    let row = LeakRow("export", ["me", "-o", "\(exported)-typed", "-v"])
    try await watch.run(row, from: terminal) { process in
      // Each question throws away what was typed ahead of it, so the line is typed until both have
      // been answered.
      while process.exitStatus == nil {
        terminal.press("\(Self.exportPassphrase)\n")
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
