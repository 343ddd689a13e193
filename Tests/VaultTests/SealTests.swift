import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import AcctTestSupport
import PrivateFiles
import StrictJSON
import Testing
import Vault

@Suite("A vault that is sealed in a TPM")
struct SealTests {
  let bench: Workbench
  let account: AccountID
  let tpm = InMemoryTPM(at: .path("/tpm of this test"))
  let item = Keyring.Item(.accessToken, Secret("a"))

  init() async throws {
    bench = try Workbench()
    account = try Accounts.first()
    let maker = try bench.store(passphrase: "a passphrase", tpm: tpm.keys)
    try await maker.keyring.write(account, [item], .forbidden)
    try await maker.vault.seal(tpm.address, .forbidden)
  }

  private func read(_ store: VaultStore) async throws -> Secret? {
    try await store.keyring.read(account, [.accessToken], .forbidden)[.accessToken]
  }

  /// No person to ask, and no file.
  private func unattended(_ tpm: InMemoryTPM, kernel: KernelKey = .refusing) -> VaultStore {
    bench.store(typist: Typist(), kernel: kernel, tpm: tpm.keys)
  }

  private func header() throws -> JSONObject {
    try #require(try JSON(parsing: try bench.contents("header")).objectValue)
  }

  private func put(_ header: JSONObject) throws { try bench.put(JSON.object(header).serialized(), "header") }

  @Test("A sealed vault is read and written without a passphrase beside its TPM")
  func opens() async throws {
    #expect(try await read(unattended(tpm)) == item.secret)
    let other = try Accounts.second()
    try await unattended(tpm).keyring.write(other, [item], .forbidden)
    #expect(try await unattended(tpm).keyring.read(other, [.accessToken], .forbidden).count == 1)
    #expect(await unattended(tpm).keyring.state() == .ready)
    #expect(try unattended(tpm).vault.sealedIn() == tpm.address)
  }

  @Test("A sealed vault beside another TPM, a cleared one or none is opened by its passphrase alone")
  func elsewhere() async throws {
    let other = InMemoryTPM(at: tpm.address)
    let absent = InMemoryTPM(at: .standard)
    for (tpm, failure) in [
      (other, HardwareKeyFailure.foreign),
      (absent, .absent(reason: "/tpm of this test: there is no such device")),
    ] {
      await #expect(
        throws: KeyringFailure.sealed(
          in: .path("/tpm of this test"),
          failure,
          reason: "no passphrase was given, and acct can't prompt for it"
        )
      ) { try await read(unattended(tpm)) }
      #expect(try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys)) == item.secret)
      await #expect(throws: KeyringFailure.self) { try await read(bench.store(passphrase: "wrong", tpm: tpm.keys)) }
    }
    let typist = Typist("a passphrase")
    _ = try await bench.store(typist: typist, tpm: other.keys).vault.unlock(.allowed)
    #expect(typist.asked == 1)
    tpm.clear()
    await #expect(throws: KeyringFailure.self) { try await read(unattended(tpm)) }
  }

  @Test("A TPM is not asked about a vault that is not sealed")
  func unsealed() async throws {
    #expect(try await bench.store(passphrase: "a passphrase", tpm: tpm.keys).vault.unseal(.forbidden))
    let asked = tpm.timesOpened
    #expect(try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys)) == item.secret)
    #expect(try await bench.store(passphrase: "a passphrase", tpm: tpm.keys).vault.checkSeal() == nil)
    #expect(tpm.timesOpened == asked)
  }

  @Test("The key of a sealed vault is stored in the kernel, and its TPM is asked once")
  func cached() async throws {
    let kernel = ObligingKernel()
    #expect(try await read(unattended(tpm, kernel: kernel.key)) == item.secret)
    let asked = tpm.timesOpened
    tpm.fail(with: .busy)
    #expect(try await read(unattended(tpm, kernel: kernel.key)) == item.secret)
    #expect(tpm.timesOpened == asked)
    try await unattended(tpm, kernel: kernel.key).vault.lock()
    #expect(kernel.isEmpty)
  }

  @Test("A new passphrase leaves the seal of a vault as it is")
  func passphrase() async throws {
    let before = try header()["sealedKey"]
    let file = try bench.passphraseFile("the new one")
    try await unattended(tpm).vault.changePassphrase(file, .forbidden)
    #expect(try header()["sealedKey"] == before)
    #expect(try await read(unattended(tpm)) == item.secret)
    tpm.clear()
    #expect(try await read(bench.store(passphrase: "the new one", tpm: tpm.keys)) == item.secret)
    await #expect(throws: KeyringFailure.self) {
      try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys))
    }
  }

  @Test("A vault that is sealed in a new TPM is opened by that one alone")
  func replaced() async throws {
    let new = InMemoryTPM(at: .standard)
    try await bench.store(passphrase: "a passphrase", tpm: new.keys).vault.seal(.standard, .forbidden)
    #expect(try await read(unattended(new)) == item.secret)
    await #expect(throws: KeyringFailure.self) { try await read(unattended(tpm)) }
  }

  @Test("Unsealing needs the passphrase, also while the vault is open, and works without a TPM")
  func unsealing() async throws {
    let kernel = ObligingKernel()
    _ = try await unattended(tpm, kernel: kernel.key).vault.unlock(.forbidden)
    let sealed = try bench.contents("header")
    await #expect(throws: KeyringFailure.self) {
      try await unattended(tpm, kernel: kernel.key).vault.unseal(.forbidden)
    }
    await #expect(
      throws: KeyringFailure.locked(reason: "the passphrase is wrong", openedBy: .otherPassphrase(file: nil))
    ) {
      try await bench.store(typist: Typist("wrong"), tpm: tpm.keys).vault.unseal(.allowed)
    }
    #expect(try bench.contents("header") == sealed)
    let typist = Typist("a passphrase")
    #expect(try await bench.store(typist: typist, kernel: kernel.key).vault.unseal(.allowed))
    #expect(typist.asked == 1)
    #expect(try bench.store(passphrase: "a passphrase").vault.sealedIn() == nil)
    #expect(try header()["version"] == 1)
    #expect(try await !bench.store(passphrase: "a passphrase").vault.unseal(.forbidden))
    // What is in the kernel is good for the header as it is now.
    #expect(try await read(unattended(tpm, kernel: kernel.key)) == item.secret)
    await #expect(throws: KeyringFailure.self) { try await read(unattended(tpm)) }
  }

  @Test("A TPM that fails leaves the vault as it was")
  func failing() async throws {
    let before = try bench.contents("header")
    for failure in [HardwareKeyFailure.busy, .forbidden(path: "/dev/tpmrm0")] {
      tpm.fail(with: failure)
      await #expect(throws: VaultSealFailure.tpm(failure, tpm.address)) {
        try await bench.store(passphrase: "a passphrase", tpm: tpm.keys).vault.seal(tpm.address, .forbidden)
      }
    }
    var forgetful = tpm.keys
    tpm.fail(with: nil)
    forgetful.unseal = { _, _, _ throws(HardwareKeyFailure) in Secret("another") }
    await #expect(throws: VaultSealFailure.self) {
      try await bench.store(passphrase: "a passphrase", tpm: forgetful).vault.seal(tpm.address, .forbidden)
    }
    #expect(try bench.contents("header") == before)
  }

  @Test("A vault that does not exist can't be sealed, and a locked one needs its passphrase")
  func notOpen() async throws {
    let empty = try Workbench().store(passphrase: "a passphrase", tpm: tpm.keys)
    let other = InMemoryTPM(at: .standard)
    await #expect(throws: VaultSealFailure.self) { try await empty.vault.seal(tpm.address, .forbidden) }
    await #expect(throws: VaultSealFailure.self) { try await unattended(other).vault.seal(.standard, .forbidden) }
  }

  @Test("A header whose seal is exchanged does not open, and its passphrase takes the seal away")
  func exchanged() async throws {
    let neighbour = try Workbench()
    let store = try neighbour.store(passphrase: "their own one", tpm: tpm.keys)
    try await store.keyring.prepare(.forbidden)
    try await store.vault.seal(tpm.address, .forbidden)
    let theirs = try #require(try VaultHeader(parsing: try neighbour.contents("header")).seal)
    let own = try VaultHeader(parsing: try bench.contents("header"))
    // With the checksum that belongs to it: as an attacker would write it.
    let mixed = own.sealed(Secret("a key of the attacker's own 12345"), as: theirs.blob, by: tpm.address)
    try bench.put(mixed.serialized(), "header")
    await #expect(throws: KeyringFailure.self) { try await read(unattended(tpm)) }
    await #expect(throws: KeyringFailure.self) {
      try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys))
    }
    #expect(
      try await bench.store(passphrase: "a passphrase", tpm: tpm.keys).vault.checkSeal()?.failure != nil
    )
    #expect(try await bench.store(passphrase: "a passphrase", tpm: tpm.keys).vault.unseal(.forbidden))
    #expect(try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys)) == item.secret)
  }

  @Test(
    "A sealed header of which a member is changed or missing is damaged",
    arguments: ["tpm", "sealedKey", "sealCheck", "version"]
  )
  func damaged(member: String) async throws {
    let whole = try header()
    for value in [nil, whole["nonce"]] as [JSON?] {
      var header = whole
      header[member] = value
      try put(header)
      await #expect(throws: KeyringFailure.self) {
        try await read(bench.store(passphrase: "a passphrase", tpm: tpm.keys))
      }
    }
    var downgraded = whole
    downgraded["version"] = 1
    try put(downgraded)
    await #expect(throws: KeyringFailure.self) { try await read(unattended(tpm)) }
  }

  @Test("A sealed header is of a version that an acct without seals does not know")
  func version() throws {
    #expect(try header()["version"] == 2)
  }

  @Test("A shared keyring's header that is sealed is rejected")
  func shared() throws {
    #expect(throws: Damage.self) { try AnyVaultHeader(parsing: try bench.contents("header")) }
  }
}
