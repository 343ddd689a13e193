import AcctModel
import AcctPorts
import KeyDevices
import TPM
import Testing

/// DER of draft-bottomley-tpm2-keys.
@Suite("Key files of a TPM")
struct KeyFileTests {
  private static let publicPart: [UInt8] = [0, 3, 1, 2, 3]
  private static let privatePart: [UInt8] = [0, 2, 4, 5]
  private static let head: [UInt8] = [0x06, 6, 0x67, 0x81, 0x05, 0x0A, 0x01]
  private static let parent: [UInt8] = [0x02, 4, 0x40, 0, 0, 1]
  private static let parts: [UInt8] = [0x04, 5] + publicPart + [0x04, 4] + privatePart

  /// The elements of a key without a PIN, with others between type and parent.
  private static func file(
    type: UInt8 = 3,
    _ options: [UInt8] = [0xA0, 3, 1, 1, 0xFF],
    parent: [UInt8] = parent,
    parts: [UInt8] = parts
  ) -> [UInt8] {
    let contents = head + [type] + options + parent + parts
    return [0x30, UInt8(contents.count)] + contents
  }

  @Test("A key is written as the draft says, and read again")
  func written() throws {
    let key = KeyFile(.loadable, emptyAuth: true, publicPart: Self.publicPart, privatePart: Self.privatePart)
    #expect(key.der == Self.file())
    #expect(try KeyFile(der: key.der) == key)
  }

  @Test("A large key below a key that stays, with a PIN, is read as it was written")
  func large() throws {
    let key = KeyFile(
      .sealed,
      emptyAuth: false,
      parent: 0x8100_0001,
      publicPart: [0, 200] + Array(repeating: 7, count: 200),
      privatePart: [1, 44] + Array(repeating: 9, count: 300)
    )
    #expect(Array(key.der.prefix(4)) == [0x30, 0x82, 2, 14])
    #expect(try KeyFile(der: key.der) == key)
  }

  @Test(
    "Fields that change nothing for acct are read as tools write them",
    arguments: [
      // True as tpm2-openssl writes it, and a description.
      [0xA0, 3, 1, 1, 1], [0xA0, 3, 1, 1, 0xFF, 0xA4, 4, 0x0C, 2, 0x68, 0x69],
    ] as [[UInt8]]
  )
  func tolerated(options: [UInt8]) throws {
    #expect(try KeyFile(der: Self.file(options)).emptyAuth)
  }

  @Test("A key without the field emptyAuth, or with false in it, has a PIN")
  func withPIN() throws {
    #expect(try !KeyFile(der: Self.file([])).emptyAuth)
    #expect(try !KeyFile(der: Self.file([0xA0, 3, 1, 1, 0])).emptyAuth)
  }

  @Test("A key file that is cut anywhere, or longer, is refused", arguments: 0..<file().count)
  func cut(at count: Int) {
    #expect(throws: HardwareKeyFailure.self) { try KeyFile(der: Array(Self.file().prefix(count))) }
    #expect(throws: HardwareKeyFailure.self) { try KeyFile(der: Self.file() + [UInt8(count)]) }
  }

  @Test(
    "What acct can't use, and what is not DER, is refused",
    arguments: [
      // An importable key, a policy, a secret, a policy of authorization, an RSA parent.
      file(type: 4), file([0xA1, 2, 0x30, 0]), file([0xA2, 2, 0x04, 0]), file([0xA3, 2, 0x30, 0]),
      file([0xA5, 3, 1, 1, 0xFF]),
      // The endorsement hierarchy, a session, a negative number, zeros before a number, 5 bytes.
      file(parent: [0x02, 4, 0x40, 0, 0, 0x0B]), file(parent: [0x02, 4, 0x02, 0, 0, 0]),
      file(parent: [0x02, 4, 0x81, 0, 0, 1]), file(parent: [0x02, 5, 0, 0x40, 0, 0, 1]),
      file(parent: [0x02, 5, 1, 0x40, 0, 0, 1]), file(parent: [0x02, 0]),
      // A part that has another length than it says, and a boolean of two bytes.
      file(parts: [0x04, 5, 0, 4, 1, 2, 3, 0x04, 4] + privatePart), file([0xA0, 4, 1, 2, 0, 0]),
      // Lengths in more bytes than they need, without an end, in more bytes than there can be.
      [0x30, 0x81, UInt8(file().count - 2)] + file().dropFirst(2), [0x30, 0x80, 0, 0],
      [0x30, 0x84, 0, 0, 0, 1, 0], [0x30, 0xFF], [0x30, 0x82, 0xFF, 0xFF],
    ] as [[UInt8]]
  )
  func refused(der: [UInt8]) {
    #expect(throws: HardwareKeyFailure.self) { try KeyFile(der: der) }
  }

  @Test("A key of a TPM is read only if it is for ECDSA on P-256 and can't leave the TPM")
  func attributes() throws {
    /// A public part with other numbers in places.
    func key(_ changes: [Int: UInt8] = [:]) -> KeyFile {
      var area: [UInt8] = [0, 0x23, 0, 0x0B, 0, 4, 4, 0x72, 0, 0, 0, 0x10, 0, 0x18, 0, 0x0B, 0, 3, 0, 0x10]
      area += [0, 32] + Array(1...32) + [0, 31] + Array(1...31)
      for (place, byte) in changes { area[place] = byte }
      return KeyFile(.loadable, emptyAuth: true, publicPart: [0, UInt8(area.count)] + area, privatePart: [0, 0])
    }
    let read = try TPMKey(key())
    #expect(read.point == HardwareKeyPoint(x: Array(1...32), y: [0] + Array(1...31)))
    let wrong: [[Int: UInt8]] = [
      // RSA, SHA-384 in its name, decrypt, restricted, one attribute too few, each.
      [1: 1], [3: 0x0C], [5: 6], [5: 5], [5: 0], [7: 0x70], [7: 0x62], [7: 0x52], [7: 0x32],
      // More attributes, a policy, an encryption, ECDAA, SHA-384, P-384, a derivation, a coordinate of 33 bytes.
      [7: 0x76], [6: 0x0C], [9: 1], [11: 6], [13: 0x1A], [15: 0x0C], [17: 4], [19: 0x20], [21: 33],
    ]
    for changes in wrong {
      #expect(throws: HardwareKeyFailure.self, "\(changes)") { try TPMKey(key(changes)) }
    }
    var sealed = key()
    sealed.kind = .sealed
    #expect(throws: HardwareKeyFailure.self) { try TPMKey(sealed) }
  }
}
