package import AcctEngine
import AcctModel
package import AcctPorts
package import ArgumentParser
import KeyDevices

/// The place in which the DPoP key of a sign-in is made.
package struct KeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where the DPoP key is made: software, tpm, tpm:SPEC or pkcs11:URI.", valueName: "place"))
  package var key: String?

  @Flag(help: "Give the new key in the TPM a PIN.")
  package var pin = false

  /// `true` if any option is given.
  package var isUsed: Bool { key != nil || pin }

  package init() {}

  package func validate() throws {
    guard let key else {
      guard !pin else { throw ValidationError("--pin needs --key tpm") }
      return
    }
    let isTPM = key == "tpm" || key.hasPrefix("tpm:")
    guard isTPM || key == "software" || key.hasPrefix("pkcs11:") else {
      throw ValidationError("--key is software, tpm, tpm:SPEC or pkcs11:URI")
    }
    guard isTPM || !pin else { throw ValidationError("--pin is for a key in a TPM: a token has a PIN already") }
  }

  /// The requested key, checked.
  ///
  /// - Parameters:
  ///   - name: The name of the account, if the user chose one.
  ///   - environment: Names the TPM where the option does not.
  /// - Returns: The place of the key, and the account that it is for.
  /// - Throws: ``InputError/malformed(_:)``.
  package func wish(for name: String?, _ environment: ProcessEnvironment) throws(EngineError) -> KeyRequest {
    KeyRequest(place: try place(environment), accountName: name.flatMap { try? AccountName($0) })
  }

  private func place(_ environment: ProcessEnvironment) throws(EngineError) -> KeyPlace? {
    guard let key, key != "software" else { return key == nil ? nil : .software }
    let place: DevicePlace
    if key == "tpm" || key.hasPrefix("tpm:") {
      place = .tpm(try environment.tpmAddress(key == "tpm" ? nil : String(key.dropFirst(4))), withPIN: pin)
    } else {
      place = .token(try PKCS11URI(named: key))
    }
    return .device { context throws(EngineError) in try await NewKeys(context).make(in: place) }
  }
}

/// Rejects a key in a device beside `--no-dpop`, whose tokens are bound to none.
package func requireNoKey(_ key: KeyOptions, besides noDPoP: Bool) throws {
  guard !noDPoP || !key.isUsed || key.key == "software" else {
    throw ValidationError("--key and --no-dpop exclude each other")
  }
}
