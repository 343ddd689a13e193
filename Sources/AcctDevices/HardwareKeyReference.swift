import AcctModel
import AcctProtocol
import KeyDevices
import StrictJSON

/// A reference to a key that never leaves its device: its location, and no secret.
enum HardwareKeyReference: Hashable, Sendable {
  /// The key's blob, which only the TPM that made it can load: DER of a TSS2 PRIVATE KEY
  /// (`TPMKey` of draft-bottomley-tpm2-keys), and where that TPM is.
  case tpm2(blob: [UInt8], TPMAddress)
  /// An object in a PKCS#11 token.
  case pkcs11(PKCS11URI)

  /// The kind of device that holds the key, as `keyStorage` records it.
  var storage: KeyStorage {
    switch self {
    case .tpm2: .tpm2
    case .pkcs11: .pkcs11
    }
  }
}

/// The place of a key, which the keyring's item has beside its public JWK.
///
///     "acct_key":"tpm2","tss2":"…","tpm":"/dev/tpmrm0"
///     "acct_key":"pkcs11","uri":"pkcs11:…","made":true
struct KeptKey: Sendable {
  let reference: HardwareKeyReference
  /// `true` if acct made the object in its token, and so removes it with the account.
  var isMade: Bool

  init(_ reference: HardwareKeyReference, isMade: Bool) {
    self.reference = reference
    self.isMade = isMade
  }

  /// - Throws: ``JWKError/unsupportedStorage`` for anything that ``place`` does not write.
  init(_ stored: StoredHardwareKey) throws(JWKError) {
    let members = stored.place
    switch stored.storage {
    case .tpm2:
      guard let text = members["tss2"]?.stringValue, let blob = Base64.decode(text), !blob.isEmpty,
        let address = members["tpm"]?.stringValue.flatMap({ try? TPMAddress($0) })
      else { throw .unsupportedStorage }
      self.init(.tpm2(blob: blob, address), isMade: true)
    case .pkcs11:
      guard let uri = members["uri"]?.stringValue.flatMap({ try? PKCS11URI($0) }) else { throw .unsupportedStorage }
      self.init(.pkcs11(uri), isMade: members["made"] == .bool(true))
    case .software: throw .unsupportedStorage
    }
  }

  /// The members of the item.
  var place: JSONObject {
    switch reference {
    case .tpm2(let blob, let address):
      return ["tss2": .string(Base64.encode(blob.span)), "tpm": .string(address.description)]
    case .pkcs11(let uri):
      var members: JSONObject = ["uri": .string(uri.description)]
      if isMade { members["made"] = .bool(true) }
      return members
    }
  }
}
