import AcctCrypto
package import AcctModel
package import Secrets
package import StrictJSON

/// The keyring's item for a key that never leaves its device: its public JWK, and its place.
///
///     {"kty":"EC","crv":"P-256","x":"…","y":"…","acct_key":"tpm2",…}
///
/// Without `d` an acct that does not know these members rejects the item, and uses no other key. Only the room that opens
/// devices reads ``place``.
package struct StoredHardwareKey: Sendable {
  /// The kind of device that holds the key.
  package let storage: KeyStorage
  /// The members that say where the key is.
  package let place: JSONObject
  let publicKey: P256PublicKey

  /// - Throws: ``JWKError/notOnCurve`` for coordinates that a device must not give.
  package init(_ storage: KeyStorage, _ place: JSONObject, x: [UInt8], y: [UInt8]) throws(JWKError) {
    self.storage = storage
    self.place = place
    do { publicKey = try P256PublicKey(x: x, y: y) } catch { throw .notOnCurve }
  }

  /// - Throws: ``JWKError`` for an item that names no device.
  init(_ json: JSON) throws(JWKError) {
    guard let members = json.objectValue else { throw .notAnObject }
    publicKey = try JWK(json).publicKey()
    guard let storage = members["acct_key"]?.stringValue.flatMap(KeyStorage.init), storage != .software else {
      throw .unsupportedStorage
    }
    self.storage = storage
    place = members
  }

  /// The same key with its place in other words.
  package func placed(_ place: JSONObject) -> StoredHardwareKey { StoredHardwareKey(storage, place, publicKey) }

  private init(_ storage: KeyStorage, _ place: JSONObject, _ publicKey: P256PublicKey) {
    self.storage = storage
    self.place = place
    self.publicKey = publicKey
  }

  /// The keyring item.
  package var item: Secret {
    var members: JSONObject = [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(publicKey.x.span)),
      "y": .string(Base64URL.encode(publicKey.y.span)),
      "acct_key": .string(storage.rawValue),
    ]
    for (name, value) in place where members[name] == nil { members[name] = value }
    return Secret(JSON.object(members).serialized())
  }

  /// The coordinates, 32 bytes each, big-endian.
  package var point: (x: [UInt8], y: [UInt8]) { (publicKey.x, publicKey.y) }

  /// The RFC 7638 thumbprint with SHA-256, in base64url.
  package var thumbprint: String { publicKey.thumbprint }
}

/// An account's DPoP key as the keyring stores it: the key, or a reference to its device.
package enum StoredDPoPKey: Sendable {
  case software(DPoPKey)
  case hardware(StoredHardwareKey)

  /// Reads the output of ``DPoPKey/item``; it is checked again, since it comes from outside.
  package init(_ item: Secret) throws(JWKError) {
    let json = try JSON(storedKey: item)
    if json.objectValue?["acct_key"] != nil {
      self = .hardware(try StoredHardwareKey(json))
    } else {
      self = .software(try DPoPKey(jwk: json))
    }
  }
}

/// A DPoP key that never leaves its device: its public part, and a way to have something signed.
package struct HardwareKey: Sendable {
  /// Signs a SHA-256 digest of 32 bytes; returns r and s, 32 bytes each.
  package typealias Sign = @Sendable (_ digest: [UInt8]) async throws(HardwareKeyFailure) -> [UInt8]

  /// The part of the key that the keyring stores.
  package let stored: StoredHardwareKey
  private let signDigest: Sign

  package init(_ stored: StoredHardwareKey, sign: @escaping Sign) {
    self.stored = stored
    signDigest = sign
  }

  /// Signs something that is of no use, to see whether the key can be used.
  package func tryOut() async throws(HardwareKeyFailure) { _ = try await sign([]) }

  /// Signs with ES256 (RFC 7518, section 3.4), and verifies the signature: one that is wrong must not reach
  /// a server, which would say that the token is not this key's.
  func sign(_ message: [UInt8]) async throws(HardwareKeyFailure) -> [UInt8] {
    let signature = try await signDigest(SHA256.hash(message.span))
    guard stored.publicKey.isValidSignature(signature, of: message.span) else {
      throw .malformedReply(reason: "the signature is not one of this key")
    }
    return signature
  }
}
