import AcctCrypto
package import AcctModel
package import Release
package import Secrets
package import StrictJSON

/// The key that an account's tokens are bound to (RFC 9449): ES256, checked when it was read.
///
/// To a server both forms are the same.
package struct DPoPKey: Sendable {
  enum Form: Sendable {
    /// Its scalar is in the keyring, and in this process while it is used.
    case software(P256PrivateKey)
    /// It never leaves its device.
    case hardware(HardwareKey)
  }

  let form: Form
  /// The parts that its proofs have in common, if they were made beforehand.
  let template: ProofTemplate?

  /// Generates a software key.
  ///
  /// - Throws: ``JWKError/libraryFailed``, without memory or random numbers.
  package static func generate() throws(JWKError) -> DPoPKey {
    do { return DPoPKey(form: .software(try P256PrivateKey.generate())) } catch { throw .libraryFailed }
  }

  private init(form: Form, template: ProofTemplate? = nil) {
    self.form = form
    self.template = template
  }

  /// A key that never leaves its device.
  package init(_ key: HardwareKey) { self.init(form: .hardware(key)) }

  /// Takes a private JWK, bare or within `{"jwk": …}`, if it is right in every respect:
  /// EC and P-256, strict base64url of 32 bytes, 0 < d < n, and the point that d yields is (x, y).
  ///
  /// Members that do not contradict it, such as `kid`, `ext` and `key_ops`, are ignored.
  package init(jwk: JSON) throws(JWKError) { self.init(form: .software(try JWK(jwk).privateKey())) }

  /// Reads a private JWK; the keyring's item may be a key in a device instead, which ``StoredDPoPKey`` reads.
  package init(privateJWK: Secret) throws(JWKError) { try self.init(jwk: try JSON(storedKey: privateJWK)) }

  /// This key for a process that makes many proofs, most of them for one token: what they have in common is computed
  /// once.
  package func prepared(for token: Token?) -> DPoPKey {
    DPoPKey(form: form, template: ProofTemplate(self, for: token))
  }

  /// The storage of its private part.
  package var storage: KeyStorage {
    switch form {
    case .software: .software
    case .hardware(let key): key.stored.storage
    }
  }

  /// The key in its device; `nil` for a software key.
  package var hardware: HardwareKey? {
    switch form {
    case .software: nil
    case .hardware(let key): key
    }
  }

  /// The public JWK, with its members in the order of RFC 7638.
  package var publicJWK: JSON { publicKey.jwk }

  /// The RFC 7638 thumbprint with SHA-256, in base64url: the `jkt` of a bound token.
  package var thumbprint: String { publicKey.thumbprint }

  /// The private JWK with exactly the members `kty`, `crv`, `x`, `y` and `d`, as JSON; `nil` for a key
  /// in a device.
  package var privateJWK: Secret? {
    switch form {
    case .software(let key): Self.privateJWK(of: key)
    case .hardware: nil
    }
  }

  private static func privateJWK(of key: P256PrivateKey) -> Secret {
    var scalar = key.rawScalar.withBytes { Base64URL.encodedBytes($0) }
    let (x, y) = (Base64URL.encode(key.publicKey.x.span), Base64URL.encode(key.publicKey.y.span))
    return Secret(joining: [
      Secret(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":""#),
      Secret(consuming: &scalar),
      Secret(#""}"#),
    ])
  }

  /// The keyring's item: the private JWK, or the reference to the key in its device.
  package var item: Secret {
    switch form {
    case .software(let key): Self.privateJWK(of: key)
    case .hardware(let key): key.stored.item
    }
  }

  private var publicKey: P256PublicKey {
    switch form {
    case .software(let key): key.publicKey
    case .hardware(let key): key.stored.publicKey
    }
  }
}

extension JSON {
  /// Parses a keyring item.
  ///
  /// - Throws: ``JWKError/notJSON(_:)``.
  init(storedKey item: Secret) throws(JWKError) {
    do {
      self = try item.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    } catch { throw .notJSON(error) }
  }
}

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
