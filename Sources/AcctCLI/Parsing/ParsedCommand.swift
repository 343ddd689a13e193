import ArgumentParser

/// The command of a command line.
package struct ParsedCommand {
  /// The command as one of acct's; `nil` for ArgumentParser's own: help, and a command that only holds others.
  ///
  /// A stored one, not a cast at its use: a cast to a protocol searches every conformance that there is.
  let own: (any AcctCommand)?
  let command: any ParsableCommand

  init(_ command: any AcctCommand) {
    own = command
    self.command = command
  }

  /// Looks whether a command is one of acct's.
  init(of command: any ParsableCommand) {
    own = command as? any AcctCommand
    self.command = command
  }
}
