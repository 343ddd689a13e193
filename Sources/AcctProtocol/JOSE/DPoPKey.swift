import AcctCrypto
package import AcctModel
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
  /// The beginning of every proof by this key, if it was made beforehand.
  let proofHead: [UInt8]?

  /// Generates a software key.
  ///
  /// - Throws: ``JWKError/libraryFailed``, without memory or random numbers.
  package static func generate() throws(JWKError) -> DPoPKey {
    do { return DPoPKey(form: .software(try P256PrivateKey.generate())) } catch { throw .libraryFailed }
  }

  private init(form: Form, proofHead: [UInt8]? = nil) {
    self.form = form
    self.proofHead = proofHead
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

  /// This key for a process that makes many proofs: what all of them have in common is computed once.
  package var prepared: DPoPKey { DPoPKey(form: form, proofHead: DPoPProof.head(of: self)) }

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
