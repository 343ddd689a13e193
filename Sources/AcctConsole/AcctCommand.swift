package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser

/// A command that reaches the outside only through the context that it gets.
package protocol AcctCommand: ParsableCommand {
  /// The options that every command has.
  var options: SharedOptions { get }

  /// `true` if it can be for the account of a document.
  static var takesDocument: Bool { get }

  /// The document that its command line names.
  var credentials: String? { get }

  /// Does the work of the command.
  func run(in context: Context) async throws(EngineError) -> ExitStatus
}

extension AcctCommand {
  package static var takesDocument: Bool { false }
  package var credentials: String? { nil }
}
