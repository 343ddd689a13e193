import AcctPorts

extension Terminal {
  /// Asks a question; any other answer than "y" or "yes" is a no.
  package func asksYes(_ question: String) -> Bool { ["y", "yes"].contains(ask(question)?.lowercased()) }
}
