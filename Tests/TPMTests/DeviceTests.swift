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

@Suite("TPM devices")
struct DeviceTests {
  private let keys = TPMKeys.live()

  @Test("A key and sealed data of one TPM are foreign to another, and to their own after it was cleared")
  func foreign() async throws {
    let (one, other) = (try await SoftwareTPM(), try await SoftwareTPM())
    let key = try await keys.create(one.address, false, .absent)
    let sealed = try await keys.seal(Secret("made-up secret"), one.address)
    #expect(try await keys.unseal(sealed, one.address, .full) == Secret("made-up secret"))
    func refuse(_ tpm: SoftwareTPM) async {
      await #expect(throws: HardwareKeyFailure.foreign) {
        _ = try await keys.sign(key.blob, tpm.address, digest, .absent)
      }
      await #expect(throws: HardwareKeyFailure.foreign) { try await keys.unseal(sealed, tpm.address, .full) }
    }
    await refuse(other)
    await one.stop()
    try await one.start()
    _ = try await keys.sign(key.blob, one.address, digest, .absent)
    try await one.clear()
    await refuse(one)
  }

  @Test("1 to 128 bytes are sealed", arguments: [1, 128])
  func sealed(count: Int) async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let data = Secret(Array(repeating: 0xA5, count: count))
    let sealed = try await keys.seal(data, tpm.address)
    #expect(try await keys.unseal(sealed, tpm.address, .full) == data)
    for wrong in [0, 129] {
      await #expect(throws: HardwareKeyFailure.unsuitable(reason: "a TPM seals 1 to 128 bytes")) {
        try await keys.seal(Secret(Array(repeating: 0, count: wrong)), tpm.address)
      }
    }
  }

  @Test("A key is no sealed data, and sealed data are no key")
  func mixedUp() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let key = try await keys.create(tpm.address, false, .absent)
    let sealed = try await keys.seal(Secret("made-up secret"), tpm.address)
    await #expect(throws: HardwareKeyFailure.self) { try await keys.unseal(key.blob, tpm.address, .full) }
    #expect(throws: HardwareKeyFailure.self) { try keys.read(sealed) }
  }

  @Test(
    "60 callers at once of a TPM without a resource manager all succeed",
    arguments: [SoftwareTPM.Door.socket, .port]
  )
  func crowd(door: SoftwareTPM.Door) async throws {
    let tpm = try await SoftwareTPM(at: door)
    let key = try KeyFile(der: try await keys.create(tpm.address, false, .absent).blob)
    let failures = Mutex<[HardwareKeyFailure]>([])
    let signatures = Mutex(0)
    let group = DispatchGroup()
    for number in 0..<60 {
      DispatchQueue(label: "caller \(number)").async(group: group) {
        do throws(HardwareKeyFailure) {
          _ = try TPMDevice(at: tpm.address).sign(digest, with: key)
          signatures.withLock { $0 += 1 }
        } catch { failures.withLock { $0.append(error) } }
      }
    }
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    #expect(failures.withLock { $0 } == [])
    #expect(signatures.withLock { $0 } == 60)
  }

  @Test("Callers that were killed leave nothing in the way of the next one")
  func killed() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let key = try KeyFile(der: try await keys.create(tpm.address, false, .absent).blob)
    let commands = Mutex<[[UInt8]]>([])
    let recording: BareLine = try BareLine(to: tpm.address)
    let between = try ScriptedTPM { _, command in
      commands.withLock { $0.append(command) }
      return recording.exchange(command)
    }
    _ = try TPMDevice(at: between.address).sign(digest, with: key)
    let primary = try #require(commands.withLock { $0.first })
    #expect(recording.exchange(primary).count > 10)
    #expect(recording.exchange(primary).count > 10)
    #expect(recording.exchange(primary).count > 10)
    // TPM_RC_OBJECT_MEMORY: it is full.
    #expect(recording.exchange(primary).suffix(4).elementsEqual([0, 0, 9, 2]))
    recording.end()
    for _ in 0..<4 {
      _ = try TPMDevice(at: tpm.address).sign(digest, with: key)
      let line = try BareLine(to: tpm.address)
      _ = line.exchange(primary)
      line.end()
    }
    let sealed = try await keys.seal(Secret("a"), tpm.address)
    #expect(try await keys.unseal(sealed, tpm.address, .full) == Secret("a"))
  }

  @Test("What holds a TPM without a resource manager is waited for")
  func waiting() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let line = try BareLine(to: tpm.address)
    #expect(throws: HardwareKeyFailure.busy) { try TPMDevice(at: tpm.address, patience: .milliseconds(100)).describe() }
    let described = Mutex<TPMDescription?>(nil)
    let group = DispatchGroup()
    DispatchQueue(label: "caller").async(group: group) {
      let description = try? TPMDevice(at: tpm.address).describe()
      described.withLock { $0 = description }
    }
    line.end()
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    #expect(described.withLock { $0 } != nil)
  }

  @Test("A TPM that was stopped where it is does not stop acct")
  func frozen() async throws {
    for door in [SoftwareTPM.Door.socket, .port] {
      let tpm = try await SoftwareTPM(at: door)
      tpm.freeze()
      #expect(throws: HardwareKeyFailure.busy) {
        try TPMDevice(at: tpm.address, patience: .milliseconds(100)).describe()
      }
      tpm.thaw()
      #expect(try TPMDevice(at: tpm.address).describe().triesLeft > 0)
    }
  }

  @Test("A TPM is described by its maker's words and its tries")
  func described() async throws {
    let tpm = try await SoftwareTPM()
    let description = try await keys.describe(tpm.address)
    #expect(description.manufacturer == "IBM SW TPM")
    #expect(!description.isLockedOut)
    #expect(description.triesLeft == 3)
  }

  @Test("Where there is no TPM, it is absent")
  func absent() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    let port = try FreePort().number
    guard case .path(let path) = tpm.address else { return }
    for address in [
      TPMAddress.path("\(path)/none"), .path("\(path).none"), .swtpm(host: "127.0.0.1", port: port),
      .swtpm(host: "localhost", port: port), .path("/dev/null"),
    ] {
      let failure = await #expect(throws: HardwareKeyFailure.self) { try await keys.describe(address) }
      guard case .absent = failure else {
        Issue.record("\(address): \(String(describing: failure))")
        continue
      }
    }
    await tpm.stop()
    await #expect(throws: HardwareKeyFailure.self) { try await keys.describe(tpm.address) }
  }

  @Test("What is no TPM is refused")
  func noTPM() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("file", containing: "made up")
    for path in [file, folder.path] {
      let refusal = HardwareKeyFailure.unsuitable(reason: "\(path) is neither a device nor a socket")
      await #expect(throws: refusal) { try await keys.describe(.path(path)) }
    }
    await #expect(throws: HardwareKeyFailure.malformedReply(reason: "its length is wrong")) {
      try await keys.describe(.path("/dev/zero"))
    }
    await #expect(throws: HardwareKeyFailure.unsuitable(reason: "tpm.test is no IP address")) {
      try await keys.describe(.swtpm(host: "tpm.test", port: 1))
    }
  }

  @Test("A TPM that this user may not open is forbidden, and is not absent")
  func forbidden() async throws {
    let tpm = try await SoftwareTPM(at: .socket)
    guard case .path(let path) = tpm.address else { return }
    try #require(unsafe chmod(path, 0) == 0)
    // Root may open it nevertheless; another user's rights are taken on, by this thread alone.
    let isRoot = geteuid() == 0
    let found = unsafe dlsym(nil, "setfsuid")
    let symbol = unsafe try #require(found)
    let setfsuid = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    if isRoot { _ = setfsuid(65534) }
    defer { if isRoot { _ = setfsuid(0) } }
    #expect(throws: HardwareKeyFailure.forbidden(path: path)) { try TPMDevice(at: tpm.address).describe() }
  }
}
