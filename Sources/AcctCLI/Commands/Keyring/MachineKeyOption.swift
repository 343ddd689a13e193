import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// The place in which a machine's own key for a shared keyring is made.
///
/// It is not called `--key`, which is the file of the certificate's key for etcd.
struct MachineKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Join by a code, with a key that is made there: software, tpm or tpm:SPEC.", valueName: "place")
  )
  var machineKey: String?

  func validate() throws {
    guard let machineKey else { return }
    guard machineKey == "software" || machineKey == "tpm" || machineKey.hasPrefix("tpm:") else {
      throw ValidationError("--machine-key is software, tpm or tpm:SPEC")
    }
  }

  /// The TPM that is chosen.
  ///
  /// - Parameter environment: Names the TPM where the option does not.
  /// - Returns: The TPM; `nil` for the machine's own keyring.
  /// - Throws: ``InputError/malformed(_:)``.
  func tpm(_ environment: ProcessEnvironment) throws(EngineError) -> TPMAddress? {
    guard let machineKey, machineKey != "software" else { return nil }
    return try environment.tpmAddress(machineKey == "tpm" ? nil : String(machineKey.dropFirst(4)))
  }
}
