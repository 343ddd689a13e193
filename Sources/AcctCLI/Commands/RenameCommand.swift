import AcctConsole
import AcctEngine
import AcctModel
import ArgumentParser
import Secrets

/// Gives an account another name.
struct RenameCommand: AcctCommand {
  static let configuration = CommandConfiguration(commandName: "rename", abstract: "Give an account another name.")

  @Argument(help: "The account.")
  var name: String

  @Argument(help: "Its new name.")
  var new: String

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let new = try parseName(new)
    let account = try await Selection(context.engine).find(name)
    let renamed = try await ChangeAccounts(context.engine).rename(account, to: new)
    return try context.done(renamed, "\(account.name) is now \(renamed.name)")
  }
}

/// A name that the user typed.
func parseName(_ text: String) throws(EngineError) -> AccountName {
  // Names are in clear, in files and in output.
  guard !Secret(text).hasTokenPrefix else { throw .input(.tokenAsName) }
  do { return try AccountName(text) } catch { throw .input(.malformed(error)) }
}
