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

/// The exit statuses of the contract.
package enum ExitStatus: Int32, CaseIterable {
  case done = 0
  case failed = 1
  case cancelled = 3
  case signInRequired = 4
  case noSuchAccount = 5
  case keyringLocked = 6
  case keyringUnavailable = 7
  case refused = 8
  case rateLimited = 9
  case network = 10
  case serverFailed = 11
  case usage = 64
  case badInput = 65
  case commandNotExecutable = 126
  case commandNotFound = 127
}
