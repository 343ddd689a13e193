import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

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
      if let kind = try UnlockShared(context.engine).kind() { throw .sharing(.notSealable(kind)) }
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
      if let kind = try UnlockShared(context.engine).kind() { throw .sharing(.notSealable(kind)) }
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
