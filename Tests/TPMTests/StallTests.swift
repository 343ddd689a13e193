import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import AcctTestSupport
import Dispatch
import Glibc
import Synchronization
import TPM
import Testing

@Suite("TPMs that stall")
struct StallTests {
  /// TPM_RC_RETRY.
  private static let retry: [UInt8] = [0x80, 1, 0, 0, 0, 10, 0, 0, 9, 0x22]

  @Test("A TPM that stalls at each command gets one time for all of them")
  func oneDeadline() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let made = try await TPMKeys.live().create(tpm.address, false, .absent)
    let key = try KeyFile(der: made.blob)
    let line = try BareLine(to: tpm.address)
    let last = Mutex<[UInt8]>([])
    let times = Mutex(0)
    // 7 tries take at least 63 ms: 1, 2, 4 … 32. Three commands have no room in 150 ms, each has.
    let slow = try ScriptedTPM { _, command in
      let code = Array(command[6..<10])
      let isTried = last.withLock { last in
        defer { last = code }
        return last == code
      }
      let count = times.withLock { times in
        times = isTried ? times + 1 : 1
        return times
      }
      // FlushContext is answered at once.
      return code == [0, 0, 1, 0x65] || count == 7 ? line.exchange(command) : Self.retry
    }
    #expect(throws: HardwareKeyFailure.busy) {
      try TPMDevice(at: slow.address, patience: .milliseconds(150)).sign(digest, with: key)
    }
    #expect(try TPMDevice(at: slow.address).sign(digest, with: key).count == 64)
  }

  @Test("TPMs that do not answer hold up nothing else in the process")
  func threads() async throws {
    let count = 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 2
    let all = Mutex(0)
    let arrived = DispatchGroup()
    arrived.enter()
    let silent = try ScriptedTPM { _, _ in
      let isLast = all.withLock { all in
        all += 1
        return all == count
      }
      if isLast { arrived.leave() }
      arrived.wait()
      return nil
    }
    let keys = TPMKeys.live(glance: .seconds(60))
    let failures = await withTaskGroup(of: HardwareKeyFailure?.self) { group in
      for _ in 0..<count {
        group.addTask {
          do throws(HardwareKeyFailure) {
            _ = try await keys.describe(silent.address)
            return nil
          } catch { return error }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    // Answered only when all of them were asked.
    #expect(failures.count == count)
    for failure in failures {
      guard case .absent? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
  }

  @Test("Who only looks at a TPM that another caller has waits briefly, who needs it does not")
  func brief() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let keys = TPMKeys.live(patience: .seconds(60), glance: .milliseconds(100))
    let made = try await keys.create(tpm.address, false, PINHolder("made-up").keyHolder)
    let sealed = try await keys.seal(Secret("made-up secret"), tpm.address)
    let line = try BareLine(to: tpm.address)
    await #expect(throws: HardwareKeyFailure.busy) { try await keys.describe(tpm.address) }
    await #expect(throws: HardwareKeyFailure.busy) { try await keys.sign(made.blob, tpm.address, digest, .absent) }
    await #expect(throws: HardwareKeyFailure.busy) { try await keys.unseal(sealed, tpm.address, .brief) }
    async let signature = keys.sign(made.blob, tpm.address, digest, PINHolder("made-up").keyHolder)
    async let secret = keys.unseal(sealed, tpm.address, .full)
    line.end()
    #expect(try await signature.count == 64)
    #expect(try await secret == Secret("made-up secret"))
  }

  @Test("The time that a person takes for a PIN is not the TPM's")
  func personsTime() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let keys = TPMKeys.live(patience: .seconds(2))
    let holder = PINHolder("made-up 1234")
    let key = try await keys.create(tpm.address, true, holder.keyHolder)
    var slow = holder.keyHolder
    let pin = slow.pin
    slow.pin = { request throws(HardwareKeyFailure) in
      // Longer than the TPM may take.
      poll(nil, 0, 2_500)
      return try pin(request)
    }
    let signature = try await keys.sign(key.blob, tpm.address, digest, slow)
    #expect(try await key.point.verifies(signature))
  }
}
