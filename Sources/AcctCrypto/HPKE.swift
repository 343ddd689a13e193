package import Secrets

/// Hybrid public key encryption (RFC 9180): mode base, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, one message to a key.
///
/// The sender needs no key of its own, and is not authenticated by it.
package enum HPKE {
  /// The last of a suite's three algorithms (RFC 9180, section 7.3): its number, and the bytes of its key.
  package struct AEAD: Equatable, Sendable {
    let number: UInt16
    let keyCount: Int

    package init(number: UInt16, keyCount: Int) {
      self.number = number
      self.keyCount = keyCount
    }

    /// AES-256-GCM, the one that ``HPKE`` encrypts with.
    package static let aes256GCM = AEAD(number: 2, keyCount: AESGCM.keyCount)
  }

  /// A message as it is sent.
  package struct Message: Equatable, Sendable {
    /// The sender's ephemeral public key, an uncompressed point.
    package var encapsulated: [UInt8]
    /// The ciphertext, and its tag behind it.
    package var ciphertext: [UInt8]

    package init(encapsulated: [UInt8], ciphertext: [UInt8]) {
      self.encapsulated = encapsulated
      self.ciphertext = ciphertext
    }
  }

  /// The key and the nonce of a message (RFC 9180, section 5.1).
  package struct Context: Sendable {
    package let key: Secret
    package let nonce: [UInt8]
  }

  /// Encrypts to a public key, with an ephemeral key of its own (RFC 9180, section 6.1, `SealBase`).
  ///
  /// - Parameters:
  ///   - plaintext: The bytes to encrypt.
  ///   - recipient: The key that opens it.
  ///   - info: The purpose; the recipient has to know the same one.
  ///   - associatedData: The bytes that are authenticated with it and stay readable.
  /// - Returns: The message.
  /// - Throws: ``CryptoError/notConfigured`` or ``CryptoError/libraryFailed``.
  package static func seal(
    _ plaintext: Secret,
    to recipient: P256PublicKey,
    info: [UInt8],
    associatedData: [UInt8] = []
  ) throws(CryptoError) -> Message {
    let ephemeral = try P256PrivateKey.generate()
    let context = try context(from: ephemeral, to: recipient, info: info)
    let ciphertext = try AESGCM.seal(
      plaintext,
      key: context.key,
      nonce: context.nonce,
      associatedData: associatedData
    )
    return Message(encapsulated: ephemeral.publicKey.point, ciphertext: ciphertext)
  }

  /// Decrypts a message to a key (RFC 9180, section 6.1, `OpenBase`).
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a message to another key, or one that was modified.
  package static func open(
    _ message: Message,
    by key: P256PrivateKey,
    info: [UInt8],
    associatedData: [UInt8] = []
  ) throws(CryptoError) -> Secret {
    let agreed = try key.agreement(with: try sender(of: message.encapsulated))
    return try open(message, to: key.publicKey, agreed: agreed, info: info, associatedData: associatedData)
  }

  /// Decrypts a message to a key that is elsewhere, in a device.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - recipient: The public part of the key.
  ///   - agreed: What the key and ``sender(of:)`` have in common: the x coordinate, 32 bytes (`Dh` of section 4.1).
  ///   - info: The purpose, as the sender gave it.
  ///   - associatedData: The bytes that are authenticated with it.
  /// - Returns: The plaintext.
  /// - Throws: ``CryptoError/authenticationFailed`` for a message to another key, or one that was modified.
  package static func open(
    _ message: Message,
    to recipient: P256PublicKey,
    agreed: Secret,
    info: [UInt8],
    associatedData: [UInt8] = []
  ) throws(CryptoError) -> Secret {
    let context = context(of: message.encapsulated, to: recipient, agreed: agreed, info: info)
    return try AESGCM.open(
      message.ciphertext,
      key: context.key,
      nonce: context.nonce,
      associatedData: associatedData
    )
  }

  /// The sender's context, with a given ephemeral key (section 5.1.1, `SetupBaseS`).
  package static func context(
    from ephemeral: P256PrivateKey,
    to recipient: P256PublicKey,
    info: [UInt8],
    _ aead: AEAD = .aes256GCM
  ) throws(CryptoError) -> Context {
    let shared = sharedSecret(
      try ephemeral.agreement(with: recipient),
      ephemeral.publicKey.point + recipient.point
    )
    return schedule(shared, info, aead)
  }

  /// The recipient's context (section 5.1.1, `SetupBaseR`).
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for an ephemeral key that is no point of the curve.
  package static func context(
    of encapsulated: [UInt8],
    to key: P256PrivateKey,
    info: [UInt8],
    _ aead: AEAD = .aes256GCM
  ) throws(CryptoError) -> Context {
    let agreed = try key.agreement(with: try sender(of: encapsulated))
    return context(of: encapsulated, to: key.publicKey, agreed: agreed, info: info, aead)
  }

  /// The recipient's context, of what its key and the sender's have in common.
  package static func context(
    of encapsulated: [UInt8],
    to recipient: P256PublicKey,
    agreed: Secret,
    info: [UInt8],
    _ aead: AEAD = .aes256GCM
  ) -> Context { schedule(sharedSecret(agreed, encapsulated + recipient.point), info, aead) }

  /// The sender's ephemeral key, which has been found to be a point of the curve (`DeserializePublicKey`).
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for anything else.
  package static func sender(of encapsulated: [UInt8]) throws(CryptoError) -> P256PublicKey {
    do { return try P256PublicKey(point: encapsulated) } catch { throw .authenticationFailed }
  }

  /// The key that a secret stands for (section 7.1.3, `DeriveKeyPair`).
  ///
  /// - Parameter material: 32 bytes or more, which are as hard to guess as the key is to be.
  /// - Returns: The key; the same one for the same bytes.
  /// - Throws: ``CryptoError/libraryFailed``.
  package static func key(of material: Secret) throws(CryptoError) -> P256PrivateKey {
    let start = extract("dkp_prk", material, salt: none, kem)
    for counter: UInt8 in 0...255 {
      let scalar = expand(start, "candidate", [counter], P256PrivateKey.coordinateCount, kem)
      // The next one where it is out of range, which none will be in practice.
      do { return try P256PrivateKey(rawScalar: scalar) } catch {
        guard error == .scalarOutOfRange else { throw error }
      }
    }
    throw .scalarOutOfRange
  }

  /// `suite_id` of the KEM: DHKEM(P-256, HKDF-SHA256), section 4.1.
  private static let kem = Array("KEM".utf8) + [0, 0x10]
  /// An empty salt: HMAC fills it up with zeros.
  private static let none = Secret([UInt8](repeating: 0, count: SHA256.count))

  /// `ExtractAndExpand` of section 4.1.
  private static func sharedSecret(_ agreement: Secret, _ context: [UInt8]) -> Secret {
    expand(extract("eae_prk", agreement, salt: none, kem), "shared_secret", context, SHA256.count, kem)
  }

  /// `KeySchedule` of section 5.1, mode base.
  private static func schedule(_ shared: Secret, _ info: [UInt8], _ aead: AEAD) -> Context {
    let suite = Array("HPKE".utf8) + [0, 0x10, 0, 1, UInt8(aead.number >> 8), UInt8(aead.number & 255)]
    var context: [UInt8] = [0]
    for (label, contents) in [("psk_id_hash", []), ("info_hash", info)] {
      extract(label, Secret(contents), salt: none, suite).withBytes { hash in
        for index in hash.indices { context.append(hash[index]) }
      }
    }
    let secret = extract("secret", Secret([]), salt: shared, suite)
    let nonce = expand(secret, "base_nonce", context, AESGCM.nonceCount, suite)
    return Context(
      key: expand(secret, "key", context, aead.keyCount, suite),
      nonce: nonce.withBytes { nonce in nonce.indices.map { nonce[$0] } }
    )
  }

  /// `LabeledExtract` of section 4.
  private static func extract(_ label: String, _ material: Secret, salt: Secret, _ suite: [UInt8]) -> Secret {
    let labeled = Secret(joining: [Secret("HPKE-v1"), Secret(suite), Secret(label), material])
    var code = labeled.withBytes { HMACSHA256.code($0, key: salt) }
    return Secret(consuming: &code)
  }

  /// `LabeledExpand` of section 4, of one block at most.
  private static func expand(_ key: Secret, _ label: String, _ info: [UInt8], _ count: Int, _ suite: [UInt8]) -> Secret
  {
    let labeled = [0, UInt8(count)] + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info + [1]
    var code = HMACSHA256.code(labeled.span, key: key)
    defer { wipe(&code) }
    return Secret(code[..<count])
  }
}

extension P256PublicKey {
  /// The uncompressed point (SEC 1, section 2.3.3).
  package var point: [UInt8] { [4] + x + y }

  /// Reads an uncompressed point.
  ///
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/notOnCurve`` or ``CryptoError/libraryFailed``.
  package init(point: [UInt8]) throws(CryptoError) {
    guard point.count == Self.pointCount, point[0] == 4 else { throw .wrongLength }
    let middle = 1 + P256PrivateKey.coordinateCount
    try self.init(x: Array(point[1..<middle]), y: Array(point[middle...]))
  }
}

extension P256PrivateKey {
  /// The secret that this key and another's public one have in common: the x coordinate, 32 bytes (ECDH; NIST SP
  /// 800-56A, section 5.7.1.2).
  package func agreement(with other: P256PublicKey) throws(CryptoError) -> Secret {
    try EVPKey(p256: BigNumber(rawScalar)).agreement(with: EVPKey(p256Point: other.point.span))
  }
}
