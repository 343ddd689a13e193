import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import PrivateFiles
import StrictJSON
import Vault
import Text

/// This machine among those of a shared keyring: its identifier, and the place of its key, if it has one.
///
/// The file says where the key is; the key itself is in the machine's own keyring, or in its TPM.
struct MachineIdentity: Equatable, Sendable {
  /// Of the public key, if there is one, else random.
  var id: String
  var key: Place?

  enum Place: Equatable, Sendable {
    /// The item ``ItemKind/keypair`` of an identifier that no account has.
    case keyring(Keyring.Kind, item: AccountID)
    /// A TPM, and the key's blob, which only that one can load.
    case tpm(TPMAddress, blob: [UInt8])

    /// The item of the machine's own keyring; `nil` for a key that is not in it.
    var item: AccountID? {
      switch self {
      case .keyring(_, let item): item
      case .tpm: nil
      }
    }

    /// `true` for a key that the vault's passphrase opens.
    var isInVault: Bool { if case .keyring(.vault, _) = self { true } else { false } }

    var kind: SharedMachine.KeyPlace {
      switch self {
      case .keyring: .software
      case .tpm: .tpm
      }
    }
  }

  static let fileName = "machine"
  /// The note of a key for which this machine asks to be let in.
  static let askingName = "machine.asking"
  private static let sizeLimit = 8192

  func serialized() -> [UInt8] {
    var members: JSONObject = ["format": "acct-machine", "id": .string(id)]
    switch key {
    case .keyring(let keyring, let item):
      members["keyring"] = .string(keyring.rawValue)
      members["item"] = .string(item.description)
    case .tpm(let address, let blob):
      members["tpm"] = .string(address.description)
      members["tss2"] = .string(hex(blob))
    case nil: break
    }
    return JSON.object(members).serialized() + [UInt8(ascii: "\n")]
  }

  init?(parsing contents: [UInt8]) {
    guard let members = (try? JSON(parsing: contents, maximumBytes: Self.sizeLimit))?.objectValue,
      members["format"]?.stringValue == "acct-machine", let id = members["id"]?.stringValue,
      [UInt8](hex: id, count: KeyringHeader.idCount) != nil
    else { return nil }
    self.id = id
    if members["tpm"] != nil {
      guard let address = members["tpm"]?.stringValue.flatMap({ try? TPMAddress($0) }),
        let text = members["tss2"]?.stringValue, let blob = [UInt8](hex: text, count: text.utf8.count / 2)
      else { return nil }
      key = .tpm(address, blob: blob)
      return
    }
    guard members["item"] != nil else { return }
    guard let item = members["item"]?.stringValue.flatMap({ try? AccountID($0) }),
      let keyring = members["keyring"]?.stringValue.flatMap(Keyring.Kind.init(rawValue:)), !keyring.isShared
    else { return nil }
    key = .keyring(keyring, item: item)
  }

  init(id: String, key: Place? = nil) {
    self.id = id
    self.key = key
  }
}
