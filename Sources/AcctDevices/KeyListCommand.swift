package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser
import KeyDevices
import StrictJSON

/// Lists the devices that can have keys, and the keys that they have.
package struct KeyListCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the TPM, the tokens and their keys, and the accounts that use them.",
    discussion: "The TPM is that of ACCT_TPM, else /dev/tpmrm0. No PIN is asked for."
  )

  @Flag(help: "List keys in devices.")
  var hardware = false

  @Argument(
    help: ArgumentHelp("A TPM or token instead of those of this machine: tpm:SPEC or pkcs11:URI.", valueName: "place")
  )
  var place: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard hardware else {
      throw ValidationError("--hardware lists devices; `acct list --json` has each account's key")
    }
    guard place.map({ $0.hasPrefix("tpm:") || $0.hasPrefix("pkcs11:") }) ?? true else {
      throw ValidationError("a place is tpm:SPEC or pkcs11:URI")
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    var address = try context.world.environment.tpmAddress()
    var uri: PKCS11URI?
    if let place {
      if place.hasPrefix("tpm:") {
        address = try context.world.environment.tpmAddress(String(place.dropFirst(4)))
      } else {
        uri = try PKCS11URI(named: place)
      }
    }
    let report = try await ListHardwareKeys(context.engine).report(tpm: address, tokens: uri)
    if options.json {
      try context.output(report.json)
    } else {
      try context.output(report.lines)
    }
    return .done
  }
}

extension ListHardwareKeys.Report {
  fileprivate var lines: [String] {
    var lines = ["TPM at \(address.description): \(tpmWords)"]
    lines += tpmAccounts.map { "  \($0.thumbprint ?? "-") \($0.name) (in a TPM)" }
    for token in tokens {
      let serial = token.slot.serial.map { ", serial number \($0)" } ?? ""
      let name = token.slot.token.map { "token \($0)\(serial)" } ?? token.slot.module
      let failure = token.slot.failure.map { ": \(ErrorMessage($0, .pkcs11).text)" } ?? ""
      lines.append("\(name)\(failure)")
      for key in token.keys {
        let owners = key.accounts.map(\.description).joined(separator: ", ")
        lines.append("  \(key.thumbprint) \(owners.isEmpty ? "unused" : owners)")
        if key.mayHaveCopies { lines.append("    made elsewhere: a copy of it may exist") }
        lines.append("    \(key.uri)")
      }
    }
    return lines.map(printable)
  }

  private var tpmWords: String {
    switch tpm {
    case .success(let tpm):
      tpm.manufacturer + (tpm.isLockedOut ? ", locked out" : ", \(tpm.triesLeft) wrong PINs until it locks")
    case .failure(let failure): ErrorMessage(failure, .tpm2).text
    }
  }

  fileprivate var json: JSON {
    var tpm: JSONObject = ["address": .string(address.description)]
    switch self.tpm {
    case .success(let description):
      tpm["manufacturer"] = .string(description.manufacturer)
      tpm["lockedOut"] = .bool(description.isLockedOut)
      tpm["triesLeft"] = .number(JSONNumber(Int64(description.triesLeft)))
      tpm["error"] = .null
    case .failure(let failure): tpm["error"] = ErrorMessage(failure, .tpm2).errorObject
    }
    tpm["accounts"] = .array(tpmAccounts.map { .string($0.name.description) })
    return .object(
      envelope([
        "tpm": .object(tpm),
        "tokens": .array(
          tokens.map { token in
            [
              "module": .string(token.slot.module), "token": .init(token.slot.token),
              "serial": .init(token.slot.serial),
              "error": token.slot.failure.map { ErrorMessage($0, .pkcs11).errorObject } ?? .null,
              "keys": .array(token.keys.map(\.json)),
            ]
          }
        ),
      ])
    )
  }
}

extension ListHardwareKeys.Key {
  fileprivate var json: JSON {
    [
      "uri": .string(uri), "thumbprint": .string(thumbprint),
      "accounts": .array(accounts.map { .string($0.description) }),
      "mayHaveCopies": .bool(mayHaveCopies),
    ]
  }
}
