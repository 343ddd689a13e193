import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Writes accounts to a file under a passphrase.
struct ExportCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write accounts to one passphrase-encrypted file, for `acct add --import FILE`.",
    discussion: """
      Asks for the passphrase twice. The accounts stay here as they are; credentials that can be \
      renewed should from then on be used in one place only.
      """
  )

  @Argument(help: "The accounts.")
  var names: [String] = []

  @Flag(help: "Every account.")
  var all = false

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where to write; standard output unless that is a terminal.", valueName: "file")
  )
  var output: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Read the passphrase from your own file instead (or ACCT_EXPORT_PASSPHRASE_FILE).",
      valueName: "file"
    )
  )
  var passphraseFile: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    let named = !names.isEmpty || options.account != nil
    guard all != named else {
      throw ValidationError(all ? "--all means every account: give no name" : "export which account?")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let exporter = ExportAccounts(context.engine)
    if all, let notice = await AccountOverview(context.engine).bringUpToDate() { context.report([notice]) }
    let (accounts, leftOut) = try await chosen(context)
    let target = target
    try exporter.check(target)
    let passphrase = try ExportPassphrase(context.engine, file: passphraseFile).new()
    let exported = try await exporter.export(accounts, to: target, under: passphrase)
    try warn(of: exported.filter(\.tokenLifetime.canRenew), context)
    if !leftOut.isEmpty {
      let names = leftOut.map(\.name.description).joined(separator: ", ")
      context.notice("left out \(names): keys in a TPM or token, and tokens of this machine, can't be exported")
    }
    if case .file(let path, _) = target { try report(exported, leftOut, path, context) }
    return .done
  }

  private var target: ExportAccounts.Target {
    guard let output, output != "-" else { return .standardOutput }
    return .file(output, replacing: force)
  }

  /// The accounts, each once, in the order in which they were named, and those that `--all` can't mean:
  /// a key in a device can't be exported, nor can the place of a token on this machine.
  private func chosen(_ context: Context) async throws(EngineError) -> ([Account], leftOut: [Account]) {
    if all {
      let accounts = try context.everyAccount()
      guard let first = accounts.first else { throw .selection(.noAccounts) }
      let exported = accounts.filter(\.isPortable)
      guard !exported.isEmpty else { throw first.notExported }
      return (exported, accounts.filter { !$0.isPortable })
    }
    var accounts: [Account] = []
    for name in names.isEmpty ? [options.account ?? ""] : names {
      let account = try await Selection(context.engine).find(name)
      if !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
    }
    // Before the passphrase is asked for.
    if let first = accounts.first(where: { !$0.isPortable }) { throw first.notExported }
    return (accounts, [])
  }

  private func warn(of renewable: [Account], _ context: Context) throws(EngineError) {
    guard !renewable.isEmpty else { return }
    var reach = ""
    for account in renewable where try context.engine.isShared(account) {
      reach = ", which removes it for all machines"
    }
    let names = renewable.map(\.name.description).joined(separator: ", ")
    context.notice(
      "the refresh token of \(names) is now in two places: a server that rotates it ends the "
        + "session when both are used"
    )
    context.notice("import it, and then remove it here with --local\(reach), or let the copy be a backup")
  }

  private func report(
    _ accounts: [Account],
    _ leftOut: [Account],
    _ path: String,
    _ context: Context
  ) throws(EngineError) {
    guard options.json else {
      let names = accounts.map(\.name.description).joined(separator: ", ")
      return context.notice("exported \(names) to \(path)")
    }
    try context.output(
      envelope([
        "file": .string(path), "accounts": try context.json(of: accounts),
        "leftOut": try context.json(of: leftOut),
      ])
    )
  }
}

extension Account {
  /// `true` if other machines could use it.
  fileprivate var isPortable: Bool { deviceStorage == nil && !client.hasInputs }

  /// Why it is not exported.
  fileprivate var notExported: EngineError {
    client.hasInputs ? .inputToken(.local(name)) : .key(.inDevice(name, deviceStorage ?? .software))
  }
}
