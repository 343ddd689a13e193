package import AcctConsole
package import AcctEngine
import AcctPorts
package import ArgumentParser
import Secrets

/// Delivers an address that the desktop opened to the sign-in that waits for it.
///
/// acct's own desktop entry runs it; people do not type it. The desktop leaves no other way in than
/// an argument, which other processes can read for as long as this one lives; a code in it is good
/// once, and a moment later it has been used.
package struct CallbackCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "callback",
    abstract: "Hand a callback to the sign-in that waits for it.",
    shouldDisplay: false
  )

  @Argument(help: "The address that the browser was redirected to.")
  var address: String

  @Option(help: ArgumentHelp("Where the sign-in listens.", valueName: "path"))
  var folder: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let page: CallbackPage
    do { page = try await context.engine.schemes.deliver(Secret(address), folder) } catch {
      throw .backend(.undelivered(error))
    }
    // The sign-in decides whether it is the one that it expects.
    if case .unexpected = page { throw .backend(.unexpectedCallback) }
    return .done
  }
}
