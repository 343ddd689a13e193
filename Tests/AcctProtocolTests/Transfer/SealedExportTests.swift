import AcctCrypto
import Secrets
import AcctProtocol
import StrictJSON
import Testing

@Suite("Sealed exports")
struct SealedExportTests {
  private static let passphrase = Secret("made up")
  private static let contents = Secret(#"{"accounts":[]}"# + String(repeating: " ", count: 100))
  private static let random = (0..<UInt8(SealedExport.randomCount)).map { $0 }

  /// Quick to open, since it is opened thousands of times.
  private func export() throws -> SealedExport {
    try SealedExport(
      sealing: Self.contents,
      under: Self.passphrase,
      kdf: try #require(KDFParameters(n: 2, r: 1, p: 1)),
      random: Self.random
    )
  }

  private func opened(_ file: [UInt8]) throws -> Secret {
    try SealedExport(try JSON(parsing: file)).opened(with: Self.passphrase)
  }

  @Test("An export opens with its passphrase and with no other")
  func roundTrip() throws {
    let export = try export()
    #expect(try opened(export.serialized()) == Self.contents)
    #expect(throws: SealedExportError.notOpened) { try export.opened(with: Secret("made up ")) }
  }

  @Test("An export has lines that mail keeps, and opens with CRLF")
  func lines() throws {
    let text = String(decoding: try export().serialized(), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.dropFirst().allSatisfy { $0.utf8.count <= 80 })
    #expect(try opened(Array(lines.joined(separator: "\r\n").utf8)) == Self.contents)
  }

  @Test("An export with any one bit flipped is rejected")
  func flippedBits() throws {
    let file = try export().serialized()
    for index in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << bit
        #expect(throws: (any Error).self, "bit \(bit) of byte \(index)") { try opened(damaged) }
      }
    }
  }

  @Test("An export that was cut anywhere is rejected")
  func truncated() throws {
    let file = try export().serialized()
    // The last byte is a newline, which means nothing.
    for count in 0..<(file.count - 1) {
      #expect(throws: (any Error).self, "\(count) bytes") { try opened(Array(file[..<count])) }
    }
  }

  @Test("An export does not open if it was modified together with its checksum")
  func forged() throws {
    let export = try export()
    var sealed = export.sealed
    sealed[0] ^= 1
    let changed = [
      SealedExport(kdf: export.kdf, salt: export.salt, nonce: export.nonce, sealed: sealed),
      SealedExport(
        kdf: try #require(KDFParameters(n: 4, r: 1, p: 1)),
        salt: export.salt,
        nonce: export.nonce,
        sealed: export.sealed
      ),
    ]
    for export in changed {
      #expect(throws: SealedExportError.notOpened) { try opened(export.serialized()) }
    }
  }

  @Test(
    "An export of absurd cost is rejected before anything is computed",
    arguments: [
      (1 << 21, 8, 1), (1 << 20, 32, 1), (1 << 15, 8, 1 << 10), (2, 1 << 24, 1), (1, 1, 1),
      (3, 1, 1), (0, 1, 1), (-2, 1, 1), (2, 0, 1), (2, 1, 0), (2, 1, 1 << 40),
    ] as [(Int64, Int64, Int64)]
  )
  func absurdCost(n: Int64, r: Int64, p: Int64) throws {
    #expect(throws: SealedExportError.unsuitableCost) {
      try read { header in
        header["n"] = .number(JSONNumber(n))
        header["r"] = .number(JSONNumber(r))
        header["p"] = .number(JSONNumber(p))
      }
    }
  }

  static let wrong: [(String, JSON, SealedExportError)] = [
    ("format", "acct-vault", .malformed(member: "format")),
    ("version", 2, .unknownVersion),
    ("version", "1", .malformed(member: "version")),
    ("kdf", "pbkdf2", .malformed(member: "kdf")),
    ("cipher", "AES-128-GCM", .malformed(member: "cipher")),
    ("salt", "AA", .malformed(member: "salt")),
    ("nonce", "", .malformed(member: "nonce")),
    ("extra", 1, .malformed(member: "header")),
  ]

  @Test("An export with a wrong member in its header is rejected with that member's name", arguments: wrong)
  func wrongHeader(member: String, value: JSON, error: SealedExportError) throws {
    #expect(throws: error) { try read { $0[member] = value } }
  }

  @Test("An export with its header's members in another order is rejected")
  func otherOrder() throws {
    #expect(throws: SealedExportError.malformed(member: "header")) {
      try read { header in
        let n = header["n"]
        header["n"] = nil
        header["n"] = n
      }
    }
  }

  @Test("An export is distinguished from credentials that a backend hands over")
  func recognized() throws {
    #expect(SealedExport.isExport(try JSON(parsing: try export().serialized())))
    #expect(!SealedExport.isExport(["accessToken": "a"]))
    #expect(!SealedExport.isExport([]))
  }

  /// Reads an export whose header is changed.
  private func read(changing change: (inout JSONObject) -> Void) throws {
    var file = try #require(try JSON(parsing: try export().serialized()).objectValue)
    var header = try #require(file["header"]?.objectValue)
    change(&header)
    file["header"] = .object(header)
    _ = try SealedExport(.object(file))
  }
}
