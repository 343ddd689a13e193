import AcctTestSupport

/// A shell that completes command lines, run at a terminal as its user runs it.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  /// Types each line, with its Tab keys, and the Enter key after it.
  ///
  /// All of it is typed before the shell starts: a terminal keeps unread input, so that nothing has
  /// to be waited for.
  ///
  /// - Returns: What `acct` was run with, line by line, each word in brackets.
  func type(_ lines: [String], at desk: CommandQueue) async throws -> [String] {
    let terminal = try ControllingTerminal()
    terminal.press((lines + ["exit"]).map { $0 + "\n" }.joined())
    let ended = try await terminal.controlling(try desk.interactive(self)).run()
    guard ended.status == 0 else {
      throw ProcessFailure.notReady(program: rawValue, output: ended.text + ended.errorText)
    }
    return try await desk.notes("runs").map { $0.joined(separator: "\t") }
  }

  /// What the shell offers at the end of each line, sorted.
  func offers(_ lines: [String], at desk: CommandQueue) async throws -> [[String]] {
    if self == .fish { return try await desk.fishOffers(lines) }
    _ = try await type(lines.map { "\($0)\t" }, at: desk)
    return try await desk.notes("offers").map { $0.sorted() }
  }
}
