import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import StrictJSON

extension AddCommand {
  /// Takes over an export that `acct export` wrote.
  func take(
    _ export: SealedExport,
    _ request: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let passphrases = try ExportPassphrase(context.engine, file: passphraseFile).known()
    let accounts = try await ImportAccounts(context.engine).importAll(export, openedBy: passphrases, request)
    if options.json {
      // A list even of one, since only the passphrase tells how many there are.
      try context.output(envelope(["accounts": try context.json(of: accounts.map(\.account))]))
    }
    for added in accounts { tellOfName(added.account, context) }
    for added in accounts where !options.json {
      context.notice(added.words)
    }
    await tellOfOrphans(context)
    return .done
  }

  /// Reports that the keyring holds secrets of an `add` that was killed before it could record their account.
  func tellOfOrphans(_ context: Context) async {
    let count = await AddAccount(context.engine).orphans()
    guard count > 0 else { return }
    let accounts = count == 1 ? "an account that has" : "\(count) accounts that have"
    context.notice("the keyring holds secrets of \(accounts) no file: an earlier `acct add` was interrupted")
    context.notice("hint: `acct doctor --repair` lists what is there, to be used or removed")
  }
}
