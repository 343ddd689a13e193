package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
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

/// Lists the devices of this machine, and the accounts whose keys they hold.
struct ListHardwareKeys: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  struct Report: Sendable {
    /// The TPM's address; ``tpm`` is its description of itself.
    var address: TPMAddress
    var tpm: Result<TPMDescription, HardwareKeyFailure>
    /// The accounts whose key is in a TPM; only the keyring knows in which.
    var tpmAccounts: [Account]
    var tokens: [Token]
  }

  struct Token: Sendable {
    var slot: PKCS11Slot
    var keys: [Key]
  }

  struct Key: Sendable {
    var uri: String
    var thumbprint: String
    /// The accounts whose tokens are bound to it.
    var accounts: [AccountName]
    /// `true` if the token reports that it was made elsewhere.
    var mayHaveCopies: Bool
  }

  /// Makes the report.
  ///
  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - uri: The tokens; those of every configured module if not given.
  /// - Returns: The devices and their keys.
  /// - Throws: ``EngineError`` if the accounts can't be read; a device that fails is part of the report.
  func report(tpm address: TPMAddress, tokens uri: PKCS11URI?) async throws(EngineError) -> Report {
    let accounts = try context.accountStore.listing().accounts
    let hardware = context.ownDevices.hardware
    let description: Result<TPMDescription, HardwareKeyFailure>
    do throws(HardwareKeyFailure) {
      description = .success(try await hardware.tpm.describe(address))
    } catch { description = .failure(error) }
    let tokens = await hardware.pkcs11.list(uri).map { slot in
      Token(slot: slot, keys: slot.keys.compactMap { key($0, of: accounts) })
    }
    return Report(
      address: address,
      tpm: description,
      tpmAccounts: accounts.filter { $0.keyStorage == .tpm2 },
      tokens: tokens
    )
  }

  private func key(_ key: PKCS11Key, of accounts: [Account]) -> Key? {
    // Without a point of the curve there is no key for ES256.
    let kept = KeptKey(.pkcs11(key.uri), isMade: false)
    let stored = try? StoredHardwareKey(.pkcs11, kept.place, x: key.point.x, y: key.point.y)
    guard let thumbprint = stored?.thumbprint else { return nil }
    let owners = accounts.filter { $0.keyStorage == .pkcs11 && $0.thumbprint == thumbprint }
    return Key(
      uri: key.uri.description,
      thumbprint: thumbprint,
      accounts: owners.map(\.name),
      mayHaveCopies: key.mayHaveCopies
    )
  }
}
