import AcctCrypto
import AcctModel
import AcctPorts
import KeyDevices
import AcctTestSupport
import Secrets
import TPM
import Testing

@Suite("Keys for ECDH in a TPM")
struct AgreementTests {
  private let keys = AgreementKeys.live()
  private static let info = Array("made-up purpose".utf8)

  /// Opens a message by a key in a TPM.
  private func open(
    _ message: HPKE.Message,
    _ blob: [UInt8],
    _ address: TPMAddress
  ) async throws -> Secret {
    let point = try keys.read(blob)
    let sender = try HPKE.sender(of: message.encapsulated)
    let agreed = try await keys.agree(blob, address, HardwareKeyPoint(x: sender.x, y: sender.y), .full)
    let key = try P256PublicKey(x: point.x, y: point.y)
    return try HPKE.open(message, to: key, agreed: agreed, info: Self.info)
  }

  @Test(
    "What HPKE seals to a key in a TPM opens with that TPM alone, after a power cut as well, and not once it was cleared",
    arguments: [SoftwareTPM.Door.port, .socket]
  )
  func opened(door: SoftwareTPM.Door) async throws {
    let (tpm, other) = (try await SoftwareTPM(at: door), try await SoftwareTPM(at: .socket))
    let made = try await keys.create(tpm.address)
    #expect(try keys.read(made.blob) == made.point)
    let secret = Secret("made-up secret")
    for _ in 0..<8 {
      let key = try P256PublicKey(x: made.point.x, y: made.point.y)
      let message = try HPKE.seal(secret, to: key, info: Self.info)
      #expect(try await open(message, made.blob, tpm.address) == secret)
      var changed = message
      changed.ciphertext[0] ^= 1
      await #expect(throws: CryptoError.authenticationFailed) { try await open(changed, made.blob, tpm.address) }
      await #expect(throws: HardwareKeyFailure.foreign) { try await open(message, made.blob, other.address) }
    }
    let key = try P256PublicKey(x: made.point.x, y: made.point.y)
    let message = try HPKE.seal(secret, to: key, info: Self.info)
    await tpm.stop()
    try await tpm.start()
    #expect(try await open(message, made.blob, tpm.address) == secret)
    guard door == .port else { return }
    try await tpm.clear()
    await #expect(throws: HardwareKeyFailure.foreign) { try await open(message, made.blob, tpm.address) }
  }

  @Test("Two keys are different, and agree with each other as with a software key")
  func agreed() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let (one, two) = (try await keys.create(tpm.address), try await keys.create(tpm.address))
    #expect(one.point != two.point)
    let shared = try await keys.agree(one.blob, tpm.address, two.point, .full)
    #expect(shared.count == 32)
    #expect(try await keys.agree(two.blob, tpm.address, one.point, .full) == shared)
    let software = try P256PrivateKey.generate()
    let point = HardwareKeyPoint(x: software.publicKey.x, y: software.publicKey.y)
    #expect(
      try await keys.agree(one.blob, tpm.address, point, .brief)
        == software.agreement(with: P256PublicKey(x: one.point.x, y: one.point.y))
    )
  }

  @Test("A key for ECDH does not sign, and one that signs does not agree")
  func apart() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let agreement = try await keys.create(tpm.address)
    let signing = try await TPMKeys.live().create(tpm.address, false, .absent)
    #expect(throws: HardwareKeyFailure.unsuitable(reason: "the key may also decrypt")) {
      try TPMKeys.live().read(agreement.blob)
    }
    let other = HardwareKeyFailure.unsuitable(reason: "the key has other attributes than one for ECDH")
    #expect(throws: other) { try keys.read(signing.blob) }
    await #expect(throws: other) { try await keys.agree(signing.blob, tpm.address, agreement.point, .full) }
    await #expect(throws: HardwareKeyFailure.self) {
      try await TPMKeys.live().sign(agreement.blob, tpm.address, digest, .absent)
    }
    let sealed = try await TPMKeys.live().seal(Secret("a"), tpm.address)
    #expect(throws: HardwareKeyFailure.unsuitable(reason: "it is no key for ECDH without a PIN")) {
      try keys.read(sealed)
    }
  }

  @Test("tpm2-tools find the key fixed to its TPM, without a PIN's protection, and for ECDH alone")
  func attributes() async throws {
    let tpm = try await SoftwareTPM()
    let file = try KeyFile(der: try await keys.create(tpm.address).blob)
    let folder = try TemporaryFolder()
    let path = try folder.file("public", containing: file.publicPart)
    let attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|decrypt"
    let printed = try await tpm.run("tpm2_print", ["-t", "TPM2B_PUBLIC", path])
    try #require(printed.status == 0, "\(printed.errorText)")
    #expect(printed.text.contains("\(attributes)\n"), "\(printed.text)")
    #expect(printed.text.contains("value: ecdh\n"), "\(printed.text)")
  }

  @Test("A point that is not on the curve, or of another length, is refused before or by the TPM")
  func offCurve() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let made = try await keys.create(tpm.address)
    var moved = made.point
    moved.y[31] ^= 1
    #expect(throws: CryptoError.authenticationFailed) { try HPKE.sender(of: [4] + moved.x + moved.y) }
    for point in [moved, HardwareKeyPoint(x: made.point.x, y: []), HardwareKeyPoint(x: [], y: [])] {
      await #expect(throws: HardwareKeyFailure.self) { try await keys.agree(made.blob, tpm.address, point, .full) }
    }
    _ = try await keys.agree(made.blob, tpm.address, made.point, .full)
  }

  @Test("60 callers at once of a TPM without a resource manager all agree")
  func crowd() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let made = try await keys.create(tpm.address)
    let shared = try await keys.agree(made.blob, tpm.address, made.point, .full)
    try await withThrowingTaskGroup { group in
      for _ in 0..<60 {
        group.addTask { try await keys.agree(made.blob, tpm.address, made.point, .full) }
      }
      for try await other in group { #expect(other == shared) }
    }
  }

  /// The reply to a command with these parameters (TPM 2.0 Library, Part 1 §18).
  private func reply(_ parameters: [UInt8]) throws -> Reply {
    let size = UInt8(10 + 4 + parameters.count + 5)
    let head: [UInt8] = [0x80, 0x02, 0, 0, 0, size, 0, 0, 0, 0, 0, 0, 0, UInt8(parameters.count)]
    return try Reply(head + parameters + [0, 0, 0, 0, 0], to: .agree)
  }

  @Test("A shared point's x has 32 bytes, also where the TPM leaves zeros out at its front")
  func short() throws {
    let long = Array(1...32) as [UInt8]
    #expect(try reply([0, 68, 0, 32] + long + [0, 32] + long).agreement() == Secret(long))
    let short = Secret([UInt8](repeating: 0, count: 30) + [7, 9])
    #expect(try reply([0, 37, 0, 2, 7, 9, 0, 31] + long.dropLast()).agreement() == short)
  }

  @Test("A reply that is cut, longer, of zeros or of longer numbers gives no shared point")
  func malformed() throws {
    let long = Array(1...32) as [UInt8]
    let whole: [UInt8] = [0, 68, 0, 32] + long + [0, 32] + long
    var wrong: [[UInt8]] = [
      whole + [0], [0, 69, 0, 33, 1] + long + [0, 32] + long, [0, 4, 0, 0, 0, 0],
      [0, 68, 0, 32] + [UInt8](repeating: 0, count: 32) + [0, 32] + [UInt8](repeating: 0, count: 32),
      [0, 67] + whole.dropFirst(2),
    ]
    for count in whole.indices { wrong.append(Array(whole.prefix(count))) }
    for parameters in wrong {
      let failure = #expect(throws: HardwareKeyFailure.self, "\(parameters)") { try reply(parameters).agreement() }
      guard case .malformedReply = failure else {
        Issue.record("\(parameters): \(String(describing: failure))")
        continue
      }
    }
  }
}
