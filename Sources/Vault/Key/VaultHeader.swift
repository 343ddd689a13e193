package import AcctCrypto
package import AcctModel
package import AcctPorts
package import Secrets
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
  package private(set) var seal: VaultSeal?

  static let version: Int64 = 1
  /// Of a header with a second wrap.
  ///
  /// A version of acct that knows none says so, and neither drops it nor calls the vault damaged. The passphrase
  /// wraps the same key in both.
  static let sealedVersion: Int64 = 2
  /// Of the header of a shared keyring, which is read elsewhere.
  package static let sharedVersion: Int64 = 3
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
  /// `true` if a later version of acct wrote it, and nothing else is known against it.
  package let isNewer: Bool

  package init(reason: String, isNewer: Bool = false) {
    self.reason = reason
    self.isNewer = isNewer
  }

  package static let newer = Damage(reason: "a later version of acct wrote it", isNewer: true)
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
    var header = self
    header.seal = seal
    return header
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
    guard version <= Self.sharedVersion else { throw .newer }
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

  func hexBytes(_ name: String, count: Int) -> [UInt8]? {
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

extension VaultHeader {
  /// Wraps a vault key by a passphrase, under a salt and a nonce of its own.
  ///
  /// - Throws: ``CryptoError`` if the library fails.
  package init(wrapping key: Secret, by passphrase: Secret, kdf: KDFParameters, entropy: Entropy) throws(CryptoError) {
    let salt = entropy.bytes(Self.saltCount)
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let bare = VaultHeader(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: [])
    let wrapped = try AESGCM.seal(
      key,
      key: bare.wrappingKey(passphrase),
      nonce: nonce,
      associatedData: bare.associatedData
    )
    self.init(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: wrapped)
  }

  /// Unwraps the vault key.
  ///
  /// - Returns: `nil` if the passphrase is not the one.
  /// - Throws: ``CryptoError`` if the library fails.
  func vaultKey(_ passphrase: Secret) throws(CryptoError) -> Secret? {
    let wrappingKey = try wrappingKey(passphrase)
    do {
      return try AESGCM.open(wrappedKey, key: wrappingKey, nonce: nonce, associatedData: associatedData)
    } catch {
      guard error == .authenticationFailed else { throw error }
      return nil
    }
  }

  private func wrappingKey(_ passphrase: Secret) throws(CryptoError) -> Secret {
    try Scrypt.deriveKey(passphrase: passphrase, salt: salt, parameters: kdf)
  }
}

/// The second wrap of a vault key: an object that only one TPM opens, and that has no PIN.
///
/// The sealed data are the vault key itself, so a new passphrase leaves the object as it is. A check value under the
/// vault key binds the object to the header around it: another vault's object, and an older header's passphrase
/// beside this object, are both noticed.
package struct VaultSeal: Equatable, Sendable {
  /// The address of the TPM that made it.
  let address: TPMAddress
  /// The object as the TPM gave it; no secret beside another TPM.
  package let blob: [UInt8]
  /// HMAC-SHA256 of the whole header under a key derived of the vault's, cut to 16 bytes.
  let check: [UInt8]

  static let checkCount = 16
  /// In bytes; an object of 32 bytes under an elliptic curve has about 300.
  static let blobLimit = 1024
  /// In bytes.
  static let addressLimit = 256

  /// `true` if they fit into a header.
  static func fits(_ blob: [UInt8], _ address: TPMAddress) -> Bool {
    (1...blobLimit).contains(blob.count) && address.description.utf8.count <= addressLimit
  }

  /// The bytes that the fingerprint of a sealed header covers beside the rest.
  var fingerprinted: [UInt8] { Self.covered(address, blob) + check }

  fileprivate static func covered(_ address: TPMAddress, _ blob: [UInt8]) -> [UInt8] {
    // The object's length ends what could be read as part of it.
    Array(" seal \(blob.count) \(address.description) ".utf8) + blob
  }
}

extension VaultHeader {
  /// This header with a second wrap, or with another one in its place.
  ///
  /// - Parameters:
  ///   - key: The vault key, which `blob` holds.
  ///   - blob: The object that the TPM made of it.
  ///   - address: The address of that TPM.
  /// - Returns: The new header.
  package func sealed(_ key: Secret, as blob: [UInt8], by address: TPMAddress) -> VaultHeader {
    with(VaultSeal(address: address, blob: blob, check: check(key, address, blob)))
  }

  /// `true` if its second wrap, if it has one, was made for this header and this vault key.
  func isSealIntact(_ key: Secret) -> Bool {
    guard let seal else { return true }
    return ConstantTime.equal(check(key, seal.address, seal.blob).span, seal.check.span)
  }

  private func check(_ key: Secret, _ address: TPMAddress, _ blob: [UInt8]) -> [UInt8] {
    let checking = HMACSHA256.derivedKey("acct vault header \(Self.sealedVersion) seal", from: key)
    let covered = associatedData + nonce + wrappedKey + VaultSeal.covered(address, blob)
    return Array(HMACSHA256.code(covered.span, key: checking).prefix(VaultSeal.checkCount))
  }
}
