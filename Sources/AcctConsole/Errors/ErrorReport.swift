package import AcctEngine
package import AcctPorts
import StrictJSON

/// The output of an error: one line and at most one hint, or one JSON object, on standard error.
package struct ErrorReport {
  package var world: World
  package var asJSON: Bool
  /// `true` if the command is for a document's account.
  package var isDocument = false
  /// The account that the command chose before it failed.
  package var chosen: ChosenAccount?

  package init(world: World, asJSON: Bool, isDocument: Bool = false) {
    self.world = world
    self.asJSON = asJSON
    self.isDocument = isDocument
  }

  /// Tells the user and returns the exit status.
  package func write(_ errorMessage: ErrorMessage) -> Int32 {
    var errorMessage = errorMessage
    if isDocument { errorMessage = errorMessage.aboutDocument }
    errorMessage = errorMessage.timed(by: world.clock).naming(chosen?.name)
    if asJSON {
      world.streams.notice(String(decoding: errorMessage.json.serialized(), as: UTF8.self))
    } else {
      world.reportFailure(errorMessage)
    }
    return errorMessage.status.rawValue
  }
}

extension World {
  /// Writes a failure and its hint to standard error, a line each.
  package func reportFailure(_ message: ErrorMessage) {
    report("acct: \(message.text)")
    if let hint = message.hint { report("acct: hint: \(hint)") }
  }
}
