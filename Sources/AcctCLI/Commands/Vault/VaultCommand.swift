import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// The encrypted-file keyring.
struct VaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "Unlock, lock, seal, reset, or change the passphrase of the encrypted-file keyring.",
    subcommands: [Unlock.self, Lock.self, Passphrase.self, Seal.self, Unseal.self, Reset.self]
  )

  /// Keeps the vault's key in the kernel for a while.
  struct Unlock: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlock",
      abstract: "Ask for the passphrase once, and not again for a while."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let shared = UnlockShared(context.engine)
      if let kind = try shared.kind() {
        let seconds = try await shared.unlock(kind)
        if options.json {
          try context.output(vaultJSON("unlocked", seconds))
        } else {
          context.notice(unlocked(kind, for: seconds))
        }
        return .done
      }
      let seconds = try await ofVault { () throws(KeyringFailure) in
        try await context.world.vault.unlock(context.interaction)
      }
      if options.json {
        try context.output(vaultJSON("unlocked", seconds))
      } else if let seconds {
        context.notice("the vault is unlocked, for \(duration(Int64(seconds))) after its last use")
      } else {
        context.notice("the vault opens without a person; this kernel stores no keys, so each command opens it anew")
      }
      return .done
    }
  }

  /// Forgets the vault's key.
  struct Lock: AcctCommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Forget the passphrase at once.")

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      try await ofVault { () throws(KeyringFailure) in try await context.world.vault.lock() }
      if options.json {
        try context.output(vaultJSON("locked"))
      } else if let address = sealedIn(context.world.vault) {
        context.notice("the vault's key is forgotten; the TPM at \(address.description) opens it when it is needed")
      } else {
        context.notice("the vault is locked")
      }
      return .done
    }

    /// The vault is locked also if its header, which says this, is missing or damaged.
    private func sealedIn(_ vault: Vault) -> TPMAddress? {
      do throws(KeyringFailure) { return try vault.sealedIn() } catch { return nil }
    }
  }

  /// Changes the passphrase.
  struct Passphrase: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "passphrase",
      abstract: "Change the passphrase; the items stay as they are."
    )

    @Option(help: ArgumentHelp("Where the new passphrase is read from.", valueName: "file"))
    var newPassphraseFile: String?

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      if let kind = try UnlockShared(context.engine).kind() { throw .keyring(.passphraseStays(kind)) }
      try await ofVault { () throws(KeyringFailure) in
        try await context.world.vault.changePassphrase(newPassphraseFile, context.interaction)
      }
      if options.json {
        try context.output(vaultJSON("passphraseChanged"))
      } else {
        context.notice("the vault has a new passphrase")
      }
      return .done
    }
  }
}

/// The vault's state, for how long it stays unlocked, in seconds, and the TPM that opens it.
func vaultJSON(_ state: String, _ seconds: Int? = nil, tpm: TPMAddress? = nil) -> JSONObject {
  var json: JSONObject = envelope([
    "vault": .string(state),
    "seconds": seconds.map { .number(JSONNumber(Int64($0))) } ?? .null,
  ])
  if let tpm { json["tpm"] = .string(tpm.description) }
  return json
}

/// Translates the vault's failures.
func ofVault<Result>(_ body: () async throws(KeyringFailure) -> Result) async throws(EngineError) -> Result {
  do { return try await body() } catch { throw .keyring(.failed(error, .vault)) }
}

extension VaultCommand {
  /// Deletes a vault whose passphrase is lost.
  struct Reset: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset",
      abstract: "Delete the vault whose passphrase is lost; the accounts stay, and sign in again."
    )

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let resetting = ResetVault(context.engine)
      let contents = try await resetting.contents()
      let names = contents.accounts.map(\.name)
      if !yes {
        guard context.canAsk else { throw .keyring(.resetUnconfirmed(names)) }
        context.world.report("acct: the secrets of \(names.isEmpty ? "no account" : list(names)) will be deleted")
        guard context.world.terminal.asksYes("acct: delete the vault? [y/N] ") else { throw .cancelled }
      }
      try await resetting.reset(contents)
      if contents.hasMachineKey {
        context.notice("this machine's key for the shared keyring is gone, too: `acct keyring join` with --code")
      }
      if options.json {
        var json = vaultJSON("reset")
        json["accounts"] = .array(names.map { .string($0.description) })
        try context.output(json)
      } else {
        context.notice("the vault is deleted; the next `acct add` or `acct login` makes another one")
        for account in contents.accounts { context.notice("\(account.name): \(signInAgain(account))") }
      }
      return .done
    }

    /// The command by which an account gets its secrets anew.
    private func signInAgain(_ account: Account) -> String {
      account.kind == .static
        ? "`\(acctLine("login", account.name.description, "--token", "-"))`"
        : "`\(acctLine("login", account.name.description))`"
    }
  }
}

extension VaultCommand {
  /// Seals the vault's key in a TPM.
  struct Seal: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "seal",
      abstract: "Let this machine's TPM open the vault, without a passphrase.",
      discussion: """
        A copy of the vault is of no use on another machine. The passphrase stays, for the day that the TPM is gone.
        """
    )

    @Option(help: ArgumentHelp("Another TPM: a device, a socket, or swtpm:host=H,port=N.", valueName: "spec"))
    var tpm: String?

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let address = try context.world.environment.tpmAddress(tpm)
      if let kind = try UnlockShared(context.engine).kind() { throw .keyring(.notSealable(kind)) }
      do throws(VaultSealFailure) {
        try await context.world.vault.seal(address, context.interaction)
      } catch {
        switch error {
        case .vault(let failure): throw .keyring(.failed(failure, .vault))
        case .tpm(let failure, let address): throw .keyring(.notSealed(failure, address))
        }
      }
      if options.json {
        try context.output(vaultJSON("sealed", tpm: address))
      } else {
        context.notice("the TPM at \(address.description) opens the vault; keep the passphrase for when it is gone")
      }
      return .done
    }
  }

  /// Removes the seal.
  struct Unseal: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "unseal",
      abstract: "Let only the passphrase open the vault, which is asked for once more."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      if let kind = try UnlockShared(context.engine).kind() { throw .keyring(.notSealable(kind)) }
      let wasSealed = try await ofVault { () throws(KeyringFailure) in
        try await context.world.vault.unseal(context.interaction)
      }
      if options.json {
        try context.output(vaultJSON("unsealed"))
      } else {
        context.notice(wasSealed ? "only the passphrase opens the vault" : "the vault was not sealed")
      }
      return .done
    }
  }
}
