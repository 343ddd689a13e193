import Secrets
import AcctPorts
import PrivateFiles
import Synchronization
import Testing
import Vault

@Suite("Creating a vault in several processes at once")
struct CreationTests {
  @Test("A vault with one passphrase is created once and loses no item")
  func samePassphrase() async throws {
    let bench = try Workbench()
    let stores = try (0..<8).map { _ in try bench.store(passphrase: "a passphrase") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (kind, store) in zip(ItemKind.allCases, stores) {
        group.addTask {
          let item = Keyring.Item(kind, Secret(kind.rawValue))
          try await store.keyring.write(try Accounts.first(), [item], .forbidden)
        }
      }
      try await group.waitForAll()
    }
    let found = try await bench.store(passphrase: "a passphrase").keyring
      .read(try Accounts.first(), ItemKind.allCases, .forbidden)
    #expect(found.count == 8)
    for (kind, secret) in found { #expect(secret == Secret(kind.rawValue)) }
  }

  @Test("A vault created with several passphrases belongs to one, and is locked to the others")
  func differentPassphrases() async throws {
    let bench = try Workbench()
    let stores = try (0..<6).map { try bench.store(passphrase: "a passphrase \($0)") }
    let results = await withTaskGroup(of: Bool.self) { group in
      for store in stores {
        group.addTask {
          do {
            try await store.keyring.prepare(.forbidden)
            return true
          } catch {
            guard case KeyringFailure.locked = error else {
              Issue.record("\(error)")
              return false
            }
            return false
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 } == 1)
  }
}
