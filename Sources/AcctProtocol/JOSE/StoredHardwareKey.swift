import AcctCrypto
package import AcctModel
package import Secrets
import StrictJSON

/// The keyring's item for a key that never leaves its device: its public JWK, and its place.
///
///     {"kty":"EC","crv":"P-256","x":"…","y":"…","acct_key":"tpm2","tss2":"…","tpm":"/dev/tpmrm0"}
///     {"kty":"EC","crv":"P-256","x":"…","y":"…","acct_key":"pkcs11","uri":"pkcs11:…","made":true}
///
/// Without `d` an acct that does not know these members rejects the item, and uses no other key.
package struct StoredHardwareKey: Equatable, Sendable {
  package let reference: HardwareKeyReference
  /// `true` if acct made the object in its token, and so removes it with the account.
  package var isMade: Bool
  let publicKey: P256PublicKey

  /// - Throws: ``JWKError/notOnCurve`` for coordinates that a device must not give.
  package init(_ reference: HardwareKeyReference, x: [UInt8], y: [UInt8], isMade: Bool) throws(JWKError) {
    self.reference = reference
    self.isMade = isMade
    do { publicKey = try P256PublicKey(x: x, y: y) } catch { throw .notOnCurve }
  }

  /// - Throws: ``JWKError`` for anything that ``item`` does not write.
  init(_ json: JSON) throws(JWKError) {
    guard let members = json.objectValue else { throw .notAnObject }
    publicKey = try JWK(json).publicKey()
    switch members["acct_key"]?.stringValue.flatMap(KeyStorage.init) {
    case .tpm2:
      guard let text = members["tss2"]?.stringValue, let blob = Base64.decode(text), !blob.isEmpty,
        let address = members["tpm"]?.stringValue.flatMap({ try? TPMAddress($0) })
      else { throw .unsupportedStorage }
      reference = .tpm2(blob: blob, address)
      isMade = true
    case .pkcs11:
      guard let uri = members["uri"]?.stringValue.flatMap({ try? PKCS11URI($0) }) else { throw .unsupportedStorage }
      reference = .pkcs11(uri)
      isMade = members["made"] == .bool(true)
    case .software, nil: throw .unsupportedStorage
    }
  }

  /// The keyring item.
  package var item: Secret {
    var members: JSONObject = [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(publicKey.x.span)),
      "y": .string(Base64URL.encode(publicKey.y.span)),
      "acct_key": .string(reference.storage.rawValue),
    ]
    switch reference {
    case .tpm2(let blob, let address):
      members["tss2"] = .string(Base64.encode(blob.span))
      members["tpm"] = .string(address.description)
    case .pkcs11(let uri):
      members["uri"] = .string(uri.description)
      if isMade { members["made"] = .bool(true) }
    }
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
