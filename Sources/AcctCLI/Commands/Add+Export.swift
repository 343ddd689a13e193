import AcctEngine
import AcctModel
import AcctProtocol
import StrictJSON

extension Add {
  /// Takes over what `acct export` wrote.
  func take(
    _ export: SealedExport,
    _ wish: AddAccount.Options,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let passphrase = try ExportPassphrase(
      context.world,
      context.interaction,
      file: passphraseFile
    ).known()
    let accounts = try await ImportAccounts(context.world, context.interaction)(
      export,
      openedBy: passphrase,
      wish
    )
    if options.json {
      // A list even of one, since only the passphrase tells how many there are.
      try context.output([
        "version": 1, "accounts": try context.json(of: accounts.map(\.account)),
      ])
    }
    for added in accounts where !options.json {
      context.notice("\(added.wasKnown ? "renewed" : "added") \(added.account.name)")
    }
    return .done
  }
}
