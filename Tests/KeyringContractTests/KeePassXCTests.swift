import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// What is particular to KeePassXC as it is installed: it asks its user about everything.
@Suite("The Secret Service keyring with a KeePassXC that asks", .timeLimit(.minutes(2)))
struct KeePassXCTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test("A locked KeePassXC is reported as locked instead of asking for its password")
  func lockedDatabase() async throws {
    let keePassXC = try KeePassXC(asking: KeePassXC.Question.allCases)
    defer { keePassXC.stop() }
    let keyring = Keyring.secretService(busAddress: keePassXC.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try keePassXC.lock()
    for call in KeyringCall.allCases {
      let failure = await call.failure(on: keyring, .allowed)
      #expect(failure.isLocked, "\(call): \(String(describing: failure))")
    }
    let state = await keyring.state()
    #expect(state == .locked)
  }

  @Test("An item that KeePassXC guards counts as locked and is left unchanged")
  func guardedItem() async throws {
    let keePassXC = try KeePassXC(asking: KeePassXC.Question.allCases)
    defer { keePassXC.stop() }
    let keyring = Keyring.secretService(busAddress: keePassXC.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    for call in [KeyringCall.read, .write, .remove] {
      let failure = await call.failure(on: keyring, .forbidden)
      #expect(failure.isLocked, "\(call): \(String(describing: failure))")
    }
    #expect(try await keyring.list() == [account: [.accessToken]])
    try keePassXC.restart(asking: [])
    let read = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
  }

  @Test("A KeePassXC prompt without an answer is withdrawn at the deadline and reported")
  func unansweredQuestion() async throws {
    let keePassXC = try KeePassXC(asking: [.beforeDeletion], recyclesDeleted: false)
    defer { keePassXC.stop() }
    func keyring(_ deadline: Duration) -> Keyring {
      .secretService(busAddress: keePassXC.busAddress, canPrompt: false, deadline: deadline)
    }
    let patient = keyring(.seconds(5))
    try await patient.write(account, [token], .forbidden)
    let failure = await KeyringCall.remove.failure(on: keyring(.seconds(4)))
    #expect(failure == .locked(reason: "the keyring has to prompt its user first", openedBy: .desktop))
    let read = try await patient.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
  }

  @Test("A KeePassXC stores and removes items by its prompts if prompts are allowed")
  func promptsForAPerson() async throws {
    let keePassXC = try KeePassXC()
    defer { keePassXC.stop() }
    let keyring = Keyring.secretService(busAddress: keePassXC.busAddress, canPrompt: true)
    try await keyring.write(account, [token], .allowed)
    let read = try await keyring.read(account, [.accessToken], .allowed)
    #expect(read == [.accessToken: token.secret])
    try await keyring.remove(account, [.accessToken], .allowed)
    #expect(try await keyring.list() == [:])
  }
}
