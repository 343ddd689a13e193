import AcctPorts

extension Terminal {
  /// Asks a question; any other answer than "y" or "yes" is a no.
  package func asksYes(_ question: String) -> Bool { ["y", "yes"].contains(ask(question)?.lowercased()) }

  /// Asks a question whose usual answer is yes: an empty line.
  ///
  /// - Returns: The answer; `nil` if the question was cancelled.
  package func confirms(_ question: String) -> Bool? {
    ask(question).map { ["", "y", "yes"].contains($0.lowercased()) }
  }
}
