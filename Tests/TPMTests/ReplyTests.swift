import AcctModel
import AcctPorts
import KeyDevices
import AcctTestSupport
import Synchronization
import TPM
import Testing

/// What acct does with any reply: real ones, changed on the way.
@Suite("Replies of a TPM")
struct ReplyTests {
  /// A reply with nothing but a code (TPM 2.0 Library, Part 1 §18).
  private func error(_ code: UInt32) -> [UInt8] {
    [0x80, 0x01, 0, 0, 0, 10] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
  }

  /// The replies of one signature, one after the other, with its key.
  private func recorded() async throws -> (key: KeyFile, replies: [[UInt8]]) {
    let tpm = try await SoftwareTPM(at: .socket)
    let key = try KeyFile(der: try TPMDevice(at: tpm.address).makeKey(pin: nil).blob)
    let replies = Tape()
    let line = try BareLine(to: tpm.address)
    let between = try ScriptedTPM { _, command in
      let reply = line.exchange(command)
      replies.append(reply)
      return reply
    }
    _ = try TPMDevice(at: between.address).sign(digest, with: key)
    return (key, replies.all)
  }

  @Test("A reply that is cut at any byte, whatever it says of its length, is a malformed reply")
  func cut() async throws {
    let (key, replies) = try await recorded()
    // CreatePrimary, Load, Sign; then what was loaded is flushed, and the result does not depend on that.
    try #require(replies.count == 5)
    let current = Mutex((number: 0, reply: [UInt8]()))
    let scripted = try ScriptedTPM { place, _ in
      let (number, reply) = current.withLock { $0 }
      return place == number ? reply : replies[place]
    }
    let device = TPMDevice(at: scripted.address)
    for (number, reply) in replies.prefix(3).enumerated() {
      for count in 1..<reply.count {
        let cut = Array(reply.prefix(count))
        for changed in [cut, with(size: count, cut)] {
          current.withLock { $0 = (number, changed) }
          let failure = #expect(throws: HardwareKeyFailure.self) { try device.sign(digest, with: key) }
          guard case .malformedReply = failure else {
            Issue.record("reply \(number) of \(count) bytes: \(String(describing: failure))")
            continue
          }
        }
      }
    }
  }

  @Test("A reply longer than it says, a signature of zeros and a permanent handle are malformed")
  func wrong() async throws {
    let (key, replies) = try await recorded()
    var handle = replies[0]
    // A permanent one, where a transient one was made.
    handle[10] = 0x40
    var zeros = replies[2]
    // The head, the length of the parameters, scheme and hash, then r and s with their lengths.
    let numbers = 10 + 4 + 4
    for start in [numbers + 2, numbers + 2 + 32 + 2] {
      zeros.replaceSubrange(start..<start + 32, with: repeatElement(0, count: 32))
    }
    let cases = [(0, handle), (0, replies[0] + [0]), (2, zeros), (2, replies[2] + [0])]
    for (number, reply) in cases {
      let scripted = try ScriptedTPM { place, _ in place == number ? reply : replies[place] }
      let failure = #expect(throws: HardwareKeyFailure.self) {
        try TPMDevice(at: scripted.address).sign(digest, with: key)
      }
      guard case .malformedReply = failure else {
        Issue.record("reply \(number): \(String(describing: failure))")
        continue
      }
    }
  }

  @Test("A TPM that hangs up before it answers is absent")
  func hungUp() async throws {
    let scripted = try ScriptedTPM { _, _ in nil }
    let name = scripted.address.description
    #expect(throws: HardwareKeyFailure.absent(reason: "\(name) closed the connection")) {
      try TPMDevice(at: scripted.address).describe()
    }
  }

  @Test("A reply with any byte changed is a failure, or gives the same signature but for that byte")
  func altered() async throws {
    let (key, replies) = try await recorded()
    let faithful = try ScriptedTPM { place, _ in replies[place] }
    let signature = try TPMDevice(at: faithful.address).sign(digest, with: key)
    let number = Mutex((reply: 0, byte: 0, mask: UInt8(0)))
    let scripted = try ScriptedTPM { place, _ in
      let change = number.withLock { $0 }
      var reply = replies[place]
      if place == change.reply { reply[change.byte] ^= change.mask }
      return reply
    }
    let device = TPMDevice(at: scripted.address)
    for (place, reply) in replies.enumerated() {
      for byte in reply.indices {
        for mask in [0x01, 0x80, 0xFF] as [UInt8] {
          number.withLock { $0 = (place, byte, mask) }
          do throws(HardwareKeyFailure) {
            let other = try device.sign(digest, with: key)
            let changed = zip(other, signature).filter { $0 != $1 }.count
            #expect(changed <= (place == 2 ? 1 : 0), "reply \(place), byte \(byte), mask \(mask)")
          } catch {
            #expect(place < 3, "what was flushed decides nothing: \(error)")
          }
        }
      }
    }
  }

  @Test(
    "A command that the TPM asks to be given again is given again",
    arguments: [0x908, 0x90A, 0x920, 0x922, 0x923] as [UInt32]
  )
  func tryAgain(code: UInt32) async throws {
    let (key, replies) = try await recorded()
    let scripted = try ScriptedTPM { number, _ in number < 3 ? error(code) : replies[number - 3] }
    #expect(try TPMDevice(at: scripted.address).sign(digest, with: key).count == 64)
  }

  @Test("A TPM that goes on saying try again is busy")
  func busy() async throws {
    let (key, _) = try await recorded()
    let scripted = try ScriptedTPM { _, _ in error(0x922) }
    #expect(throws: HardwareKeyFailure.busy) {
      try TPMDevice(at: scripted.address, patience: .milliseconds(20)).sign(digest, with: key)
    }
  }

  @Test(
    "The TPM's error to a command is named",
    arguments: [
      (0, 0x100, .failed(reason: "the TPM was not started (0x100)")),
      (0, 0x101, .failed(reason: "the TPM is in failure mode (0x101)")),
      (1, 0x98E, .failed(reason: "its storage key has a password (0x98e)")),
      (0, 0x185, .failed(reason: "the TPM's error 0x185")), (1, 0x1DF, .foreign),
      (1, 0x18B, .foreign), (2, 0x921, .lockedOut), (2, 0x9A2, .wrongPIN(triesLeft: nil)),
    ] as [(Int, UInt32, HardwareKeyFailure)]
  )
  func named(number: Int, code: UInt32, failure: HardwareKeyFailure) async throws {
    let (key, replies) = try await recorded()
    let scripted = try ScriptedTPM { place, _ in place == number ? error(code) : replies[place] }
    #expect(throws: failure) { try TPMDevice(at: scripted.address).sign(digest, with: key) }
  }

  @Test("A TPM 1.2 is told by its reply")
  func oldTPM() throws {
    let scripted = try ScriptedTPM { _, _ in [0, 0xC4, 0, 0, 0, 10, 0, 0, 0, 0x1E] }
    #expect(throws: HardwareKeyFailure.unsuitable(reason: "it is a TPM 1.2")) {
      try TPMDevice(at: scripted.address).describe()
    }
  }

  @Test("A TPM that does not answer is busy at first, and has failed later")
  func silence() async throws {
    let (key, replies) = try await recorded()
    for number in 0..<3 {
      let scripted = try ScriptedTPM { place, _ in place < number ? replies[place] : [] }
      let name = scripted.address.description
      let failure: HardwareKeyFailure = number == 0 ? .busy : .failed(reason: "\(name) does not answer")
      #expect(throws: failure) {
        try TPMDevice(at: scripted.address, patience: .milliseconds(200)).sign(digest, with: key)
      }
    }
  }
}

/// A reply that says another size, if it has one.
private func with(size: Int, _ reply: [UInt8]) -> [UInt8] {
  var changed = reply
  guard reply.count >= 6 else { return changed }
  changed.replaceSubrange(2..<6, with: [0, 0, UInt8(size >> 8), UInt8(size & 0xFF)])
  return changed
}

/// Replies in their order.
private final class Tape: Sendable {
  private let replies = Mutex<[[UInt8]]>([])
  var all: [[UInt8]] { replies.withLock { $0 } }
  func append(_ reply: [UInt8]) { replies.withLock { $0.append(reply) } }
}
