import AcctConsole
import AcctEngine
import Secrets
import ArgumentParser

/// Delivers an address that the desktop opened to the sign-in that waits for it.
///
/// acct's own desktop entry runs it; people do not type it. The desktop leaves no other way in than
/// an argument, which other processes can read for as long as this one lives; a code in it is good
/// once, and a moment later it has been used.
struct CallbackCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "callback",
    abstract: "Hand a callback to the sign-in that waits for it.",
    shouldDisplay: false
  )

  @Argument(help: "The address that the browser was redirected to.")
  var address: String

  @Option(help: ArgumentHelp("Where the sign-in listens.", valueName: "path"))
  var folder: String?

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    try await DeliverCallback(context.world).deliver(Secret(address), folder: folder)
    return .done
  }
}
