import AcctCrypto
import AcctModel
import StrictJSON
import Text

/// The contents of a vault's `header` file: the vault key, wrapped by a passphrase, and by a TPM if it is sealed.
///
/// The vault key is random and encrypts the items; a passphrase encrypts the vault key alone. So a
/// new passphrase, or a higher cost of trying one, rewrites this file and nothing else.
package struct VaultHeader: Equatable {
  let kdf: KDFParameters
  let salt: [UInt8]
  let nonce: [UInt8]
  /// AES-256-GCM of the vault key under the key that scrypt derives.
  let wrappedKey: [UInt8]
  /// The second wrap.
  package let seal: VaultSeal?

  init(kdf: KDFParameters, salt: [UInt8], nonce: [UInt8], wrappedKey: [UInt8], seal: VaultSeal? = nil) {
    self.kdf = kdf
    self.salt = salt
    self.nonce = nonce
    self.wrappedKey = wrappedKey
    self.seal = seal
  }

  static let version: Int64 = 1
  /// Of a header with a second wrap.
  ///
  /// A version of acct that knows none says so, and neither drops it nor calls the vault damaged. The passphrase
  /// wraps the same key in both.
  static let sealedVersion: Int64 = 2
  package static let saltCount = 16
  /// In bytes; far more than a header has.
  static let sizeLimit = 4096

  /// The bytes that the wrapping authenticates beside the key, so that salt and cost can't be exchanged.
  var associatedData: [UInt8] {
    Array("acct vault header \(Self.version) scrypt \(kdf.n) \(kdf.r) \(kdf.p) \(hex(salt))".utf8)
  }

  /// Tells this header from every other, and is part of its file.
  ///
  /// As a checksum it tells damage from a wrong passphrase, which AES-GCM cannot; it keeps no
  /// attacker out and need not. As a name for the stored vault key it makes sure that a replaced or
  /// changed header has to be opened anew.
  var fingerprint: String {
    let text = associatedData + nonce + wrappedKey + (seal?.fingerprinted ?? [])
    return hex(SHA256.hash(text.span).prefix(16))
  }
}

/// Why a header or an item cannot be used; it goes into the words "the vault is damaged: …".
package struct Damage: Error, Equatable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

extension VaultHeader {
  /// The file's contents.
  package func serialized() -> [UInt8] {
    var members: JSONObject = [
      "format": "acct-vault",
      "version": .number(JSONNumber(seal == nil ? Self.version : Self.sealedVersion)),
      "kdf": "scrypt",
      "n": .number(JSONNumber(Int64(kdf.n))),
      "r": .number(JSONNumber(Int64(kdf.r))),
      "p": .number(JSONNumber(Int64(kdf.p))),
      "salt": .string(hex(salt)),
      "nonce": .string(hex(nonce)),
      "wrappedKey": .string(hex(wrappedKey)),
    ]
    if let seal {
      members["tpm"] = .string(seal.address.description)
      members["sealedKey"] = .string(hex(seal.blob))
      members["sealCheck"] = .string(hex(seal.check))
    }
    members["checksum"] = .string(fingerprint)
    return JSON.object(members).serialized() + [UInt8(ascii: "\n")]
  }

  /// This header with another second wrap, or none.
  func with(_ seal: VaultSeal?) -> VaultHeader {
    VaultHeader(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: wrappedKey, seal: seal)
  }

  /// Reads the file's contents.
  package init(parsing contents: [UInt8]) throws(Damage) {
    let members: JSONObject?
    do { members = try JSON(parsing: contents, maximumBytes: Self.sizeLimit).objectValue } catch {
      throw Damage(reason: "the header is not JSON")
    }
    guard let members, members["format"]?.stringValue == "acct-vault",
      let version = members["version"]?.numberValue?.integer
    else { throw Damage(reason: "the header is not one of acct's") }
    guard version == Self.version || version == Self.sealedVersion, members["kdf"]?.stringValue == "scrypt" else {
      throw Damage(reason: "the header is of a kind that this version of acct does not know")
    }
    guard let n = members.cost("n"), let r = members.cost("r"), let p = members.cost("p"),
      let kdf = KDFParameters(n: n, r: r, p: p)
    else { throw Damage(reason: "the header's scrypt parameters are out of bounds") }
    guard let salt = members.hexBytes("salt", count: Self.saltCount),
      let nonce = members.hexBytes("nonce", count: AESGCM.nonceCount),
      let wrappedKey = members.hexBytes("wrappedKey", count: AESGCM.keyCount + AESGCM.tagCount)
    else { throw Damage(reason: "the header is incomplete") }
    let seal: VaultSeal? = try version == Self.sealedVersion ? members.seal() : nil
    self.init(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: wrappedKey, seal: seal)
    guard members["checksum"]?.stringValue == fingerprint else {
      throw Damage(reason: "the header's checksum is wrong")
    }
  }
}

extension JSONObject {
  fileprivate func cost(_ name: String) -> UInt64? { self[name]?.numberValue?.integer.flatMap(UInt64.init(exactly:)) }

  fileprivate func hexBytes(_ name: String, count: Int) -> [UInt8]? {
    self[name]?.stringValue.flatMap { [UInt8](hex: $0, count: count) }
  }

  /// The members of the second wrap.
  fileprivate func seal() throws(Damage) -> VaultSeal {
    guard let text = self["tpm"]?.stringValue, let address = try? TPMAddress(text),
      let digits = self["sealedKey"]?.stringValue, let blob = [UInt8](hex: digits, count: digits.utf8.count / 2),
      let check = hexBytes("sealCheck", count: VaultSeal.checkCount), VaultSeal.fits(blob, address)
    else { throw Damage(reason: "the header is incomplete") }
    return VaultSeal(address: address, blob: blob, check: check)
  }
}
