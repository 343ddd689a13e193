import AcctCrypto
import Secrets
import Testing

private let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

extension P256PublicKey {
  /// Takes the message as an array, since `#expect` accepts no span.
  fileprivate func isValidSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    isValidSignature(signature, of: message.span)
  }
}

@Suite("P-256 keys")
struct P256Tests {
  @Test("A thousand keys sign for pycryptodome, which computes the same points")
  func signsForOthers() async throws {
    var (lines, points) = ([[String]](), [String]())
    for index in 0..<1_000 {
      let key = try P256PrivateKey.generate()
      let message = Array("message \(index)".utf8)
      let signature = try key.sign(message.span)
      #expect(key.publicKey.isValidSignature(signature, of: message))
      lines.append([key.rawScalar.withBytes { hex($0) }, hex(message.span), hex(signature.span)])
      points.append(hex((key.publicKey.x + key.publicKey.y).span))
    }
    let answer = try await OtherImplementation.verify(lines)
    #expect(answer == points)
  }

  @Test("A thousand signatures of pycryptodome are valid, for their messages alone")
  func verifiesOthers() async throws {
    let lines = try await OtherImplementation.signatures(count: 1_000)
    try #require(lines.count == 1_000)
    for line in lines {
      try #require(line.count == 4)
      let (message, signature) = (bytes(line[2]), bytes(line[3]))
      let key = try P256PrivateKey(rawScalar: Secret(bytes(line[0]))).publicKey
      #expect(hex((key.x + key.y).span) == line[1])
      #expect(try P256PublicKey(x: key.x, y: key.y) == key)
      #expect(key.isValidSignature(signature, of: message))
      #expect(!key.isValidSignature(signature, of: Array("other".utf8)))
    }
  }

  @Test("A signature is valid for one message and one key, and no two are equal")
  func signatures() throws {
    let (key, other) = try (P256PrivateKey.generate(), P256PrivateKey.generate())
    let message = Array("message".utf8)
    let signature = try key.sign(message.span)
    #expect(signature.count == 64)
    #expect(try key.sign(message.span) != signature)
    #expect(!other.publicKey.isValidSignature(signature, of: message))
    #expect(!key.publicKey.isValidSignature(signature.reversed(), of: message))
    #expect(!key.publicKey.isValidSignature(Array(signature[..<63]), of: message))
    let empty = try key.sign([UInt8]().span)
    #expect(key.publicKey.isValidSignature(empty, of: []))
  }

  @Test("A signature keeps the leading zeros of r and s: always 64 bytes")
  func length() throws {
    let key = try P256PrivateKey.generate()
    // One in 128 signatures has an r or an s with a leading zero byte.
    for index in UInt8.min...UInt8.max { #expect(try key.sign([index].span).count == 64) }
    for _ in 0..<3_000 { #expect(try key.sign([1].span).count == 64) }
  }

  @Test("A scalar is between 0 and n")
  func range() throws {
    var (below, above) = (order, order)
    below[31] -= 1
    above[31] += 1
    for scalar in [[UInt8](repeating: 0, count: 32), order, above, [UInt8](repeating: 255, count: 32)] {
      #expect(throws: CryptoError.scalarOutOfRange) { try P256PrivateKey(rawScalar: Secret(scalar)) }
    }
    let generator = bytes("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    let one = try P256PrivateKey(rawScalar: Secret([UInt8](repeating: 0, count: 31) + [1]))
    let last = try P256PrivateKey(rawScalar: Secret(below))
    #expect(one.publicKey.x == generator && last.publicKey.x == generator)
    #expect(one.publicKey.y != last.publicKey.y)
  }

  @Test("A scalar or coordinate is 32 bytes", arguments: [0, 1, 31, 33, 64])
  func lengths(count: Int) throws {
    let short = [UInt8](repeating: 1, count: count)
    let point = try P256PrivateKey.generate().publicKey
    #expect(throws: CryptoError.wrongLength) { try P256PrivateKey(rawScalar: Secret(short)) }
    #expect(throws: CryptoError.wrongLength) { try P256PublicKey(x: short, y: point.y) }
    #expect(throws: CryptoError.wrongLength) { try P256PublicKey(x: point.x, y: short) }
  }

  @Test("A public key is a point of the curve")
  func onCurve() throws {
    let point = try P256PrivateKey.generate().publicKey
    #expect(try P256PublicKey(x: point.x, y: point.y) == point)
    let zero = [UInt8](repeating: 0, count: 32)
    var moved = point.y
    moved[31] ^= 1
    for (x, y) in [(point.x, moved), (point.y, point.x), (zero, zero), (point.x, zero)] {
      #expect(throws: CryptoError.notOnCurve) { try P256PublicKey(x: x, y: y) }
    }
    let tooLarge = [UInt8](repeating: 255, count: 32)
    #expect(throws: CryptoError.notOnCurve) { try P256PublicKey(x: tooLarge, y: point.y) }
  }

  @Test("One key signs from many tasks at once, beside other keys")
  func concurrent() async throws {
    let key = try P256PrivateKey.generate()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        let key = task < 4 ? key : try P256PrivateKey.generate()
        group.addTask {
          let message = [UInt8(task)]
          return try (0..<50).allSatisfy { _ in
            key.publicKey.isValidSignature(try key.sign(message.span), of: message)
          }
        }
      }
      for try await isValid in group { #expect(isValid) }
    }
  }
}
