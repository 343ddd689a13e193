import AcctCrypto
import Secrets
import Testing

@Suite("Authenticated encryption")
struct AuthenticatedEncryptionTests {
  private let key = Secret((0..<32).map { UInt8($0) })
  private let nonce = (0..<12).map { UInt8($0 + 100) }
  private let plaintext = Secret("a made-up secret")
  private let data = Array("vault 1 oauth".utf8)

  private func seal() throws -> [UInt8] { try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: data) }

  @Test("A sealed text opens again, also with pycryptodome")
  func roundTrip() async throws {
    let sealed = try seal()
    #expect(sealed.count == plaintext.count + 16)
    #expect(try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: data) == plaintext)
    let opened = try await OtherImplementation.open(
      hex(sealed.span),
      key: key.withBytes { hex($0) },
      nonce: hex(nonce.span),
      associatedData: hex(data.span)
    )
    #expect(opened == [plaintext.withBytes { hex($0) }])
  }

  @Test("A sealed text with one changed bit anywhere does not open")
  func everyBit() throws {
    let sealed = try seal()
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.authenticationFailed) {
        try AESGCM.open(changed, key: key, nonce: nonce, associatedData: data)
      }
    }
  }

  @Test("A sealed text does not open with another key, nonce or associated data, or with a part of it")
  func others() throws {
    let sealed = try seal()
    let otherKey = Secret((1...32).map { UInt8($0) })
    for (key, nonce, data) in [
      (otherKey, nonce, data), (key, nonce.reversed(), data), (key, nonce, []),
      (key, nonce, data + [0]), (key, nonce, Array("vault 1 guest".utf8)),
    ] {
      #expect(throws: CryptoError.authenticationFailed) {
        try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: data)
      }
    }
    for count in 0..<sealed.count {
      #expect(throws: CryptoError.authenticationFailed) {
        try AESGCM.open(Array(sealed[..<count]), key: key, nonce: nonce, associatedData: data)
      }
    }
  }

  @Test("A key or nonce of another length is rejected")
  func lengths() {
    for count in [0, 16, 24, 31, 33] {
      let key = Secret([UInt8](repeating: 1, count: count))
      #expect(throws: CryptoError.wrongLength) {
        try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: data)
      }
    }
    for count in [0, 8, 11, 13, 16] {
      let nonce = [UInt8](repeating: 1, count: count)
      #expect(throws: CryptoError.wrongLength) {
        try AESGCM.open([UInt8](repeating: 0, count: 32), key: key, nonce: nonce, associatedData: data)
      }
    }
  }
}

@Suite("Key derivation and comparison")
struct DerivationTests {
  @Test(
    "Parameters that scrypt does not define, or that ask for too much, are rejected",
    arguments: [
      (0, 8, 1), (1, 8, 1), (3, 8, 1), (1_000, 8, 1), (16, 0, 1), (16, 8, 0), (1 << 20, 8, 1), (1 << 40, 8, 1),
      (1 << 63, 8, 1), (16, 1 << 30, 1), (16, 1, 1 << 30), (16, .max, .max), (.max, 1, 1),
    ] as [(UInt64, UInt64, UInt64)]
  )
  func unsuitable(n: UInt64, r: UInt64, p: UInt64) {
    #expect(throws: CryptoError.unsuitableParameters) {
      try Scrypt.deriveKey(passphrase: Secret("p"), salt: [1], n: n, r: r, p: p, length: 32)
    }
  }

  @Test("A derived key depends on passphrase, salt and length")
  func matters() throws {
    func key(_ passphrase: String, _ salt: [UInt8], _ length: Int) throws -> Secret {
      try Scrypt.deriveKey(passphrase: Secret(passphrase), salt: salt, n: 16, r: 8, p: 1, length: length)
    }
    let first = try key("a", [1], 32)
    #expect(first.count == 32)
    #expect(try first == key("a", [1], 32))
    #expect(try first != key("b", [1], 32))
    #expect(try first != key("a", [2], 32))
    #expect(try key("a", [1], 16).count == 16)
    #expect(throws: CryptoError.unsuitableParameters) { try key("a", [1], 0) }
  }

  @Test("A comparison considers every byte and the length")
  func comparison() {
    let bytes: [UInt8] = [1, 2, 3]
    func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { ConstantTime.equal(left.span, right.span) }
    #expect(isEqual(bytes, [1, 2, 3]))
    #expect(isEqual([], []))
    for other: [UInt8] in [[], [1, 2], [1, 2, 3, 0], [0, 2, 3], [1, 2, 4]] {
      #expect(!isEqual(bytes, other))
    }
  }
}

@Suite("Encryption to a public key")
struct PublicKeyEncryptionTests {
  private let info = Array("a purpose".utf8)
  private let data = Array("a place".utf8)

  @Test("A message opens by the recipient's key alone, for its purpose and with its associated data")
  func recipient() throws {
    let (key, other) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
    let message = try HPKE.seal(Secret("a key"), to: key.publicKey, info: info, associatedData: data)
    #expect(try HPKE.open(message, by: key, info: info, associatedData: data) == Secret("a key"))
    var forged = message
    forged.encapsulated = other.publicKey.point
    var noPoint = message
    noPoint.encapsulated[64] ^= 1
    let attempts: [(HPKE.Message, P256PrivateKey, [UInt8], [UInt8])] = [
      (message, other, info, data), (message, key, data, data), (message, key, info, info),
      (forged, key, info, data), (noPoint, key, info, data),
    ]
    for (message, key, info, data) in attempts {
      #expect(throws: CryptoError.authenticationFailed) {
        try HPKE.open(message, by: key, info: info, associatedData: data)
      }
    }
  }

  @Test("A message opens with pycryptodome, and one of pycryptodome's opens here")
  func otherImplementation() async throws {
    let key = try P256PrivateKey.generate()
    let message = try HPKE.seal(Secret("a key"), to: key.publicKey, info: info, associatedData: data)
    let answer = try await OtherImplementation.openAndSeal(
      key.rawScalar.withBytes { hex($0) },
      (hex(message.encapsulated.span), hex(message.ciphertext.span)),
      info: hex(info.span),
      associatedData: hex(data.span)
    )
    try #require(answer.count == 3)
    #expect(bytes(answer[0]) == Array("a key".utf8))
    let reply = HPKE.Message(encapsulated: bytes(answer[2]), ciphertext: bytes(answer[1]))
    #expect(try HPKE.open(reply, by: key, info: info, associatedData: data) == Secret("a key"))
  }
}
