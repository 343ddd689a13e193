import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import AcctTestSupport
import Synchronization
import TPM
import Testing

@Suite("PINs of TPM keys")
struct PINTests {
  private let keys = TPMKeys.live()

  @Test("A key with a PIN signs with it, and its PIN is asked for once each time")
  func right() async throws {
    let tpm = try await SoftwareTPM()
    let holder = PINHolder("made-up 1234")
    let key = try await keys.create(tpm.address, true, holder.keyHolder)
    #expect(key.hasPIN)
    let signature = try await keys.sign(key.blob, tpm.address, digest, holder.keyHolder)
    #expect(try await key.point.verifies(signature))
    let asked = holder.asked.withLock { $0 }
    #expect(asked.map(\.isNew) == [true, false])
  }

  @Test("Wrong PINs are counted down to a lockout, which spares keys without a PIN and can be lifted")
  func lockout() async throws {
    let tpm = try await SoftwareTPM()
    let holder = PINHolder("right")
    let key = try await keys.create(tpm.address, true, holder.keyHolder)
    let free = try await keys.create(tpm.address, false, .absent)
    let wrong = PINHolder("wrong")
    let tries = try await keys.describe(tpm.address).triesLeft
    for left in (0..<tries).reversed() {
      await #expect(throws: HardwareKeyFailure.wrongPIN(triesLeft: left)) {
        _ = try await keys.sign(key.blob, tpm.address, digest, wrong.keyHolder)
      }
    }
    let before = holder.asked.withLock { $0.count }
    await #expect(throws: HardwareKeyFailure.lockedOut) {
      _ = try await keys.sign(key.blob, tpm.address, digest, holder.keyHolder)
    }
    #expect(holder.asked.withLock { $0.count } == before, "asked for a PIN that is of no use")
    #expect(try await keys.describe(tpm.address).isLockedOut)
    // With the PIN at hand, the TPM itself refuses.
    let file = try KeyFile(der: key.blob)
    #expect(throws: HardwareKeyFailure.lockedOut) {
      _ = try TPMDevice(at: tpm.address).sign(digest, with: file, pin: Secret("right"))
    }
    _ = try await keys.sign(free.blob, tpm.address, digest, .absent)
    let lifted = try await tpm.run("tpm2_dictionarylockout", ["--clear-lockout"])
    try #require(lifted.status == 0, "\(lifted.errorText)")
    _ = try await keys.sign(key.blob, tpm.address, digest, holder.keyHolder)
  }

  @Test("A key with a PIN is not used without a person to ask")
  func nobody() async throws {
    let tpm = try await SoftwareTPM()
    let key = try await keys.create(tpm.address, true, PINHolder("made-up").keyHolder)
    await #expect(throws: HardwareKeyFailure.noPIN(reason: "no person can be asked")) {
      _ = try await keys.sign(key.blob, tpm.address, digest, .absent)
    }
  }

  @Test("A new PIN has 1 to 32 bytes", arguments: [0, 33])
  func length(count: Int) async throws {
    let tpm = try await SoftwareTPM()
    let holder = PINHolder(String(repeating: "7", count: count))
    let refusal = HardwareKeyFailure.unsuitable(reason: "a PIN of a TPM has 1 to 32 bytes")
    await #expect(throws: refusal) { _ = try await keys.create(tpm.address, true, holder.keyHolder) }
  }
}
