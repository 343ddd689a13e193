import AcctModel
package import AcctPorts
import Secrets
import Synchronization

extension World {
  /// Returns a copy of the world that opens no keyring and writes no file: accounts are in memory, and end with the
  /// process.
  ///
  /// Neither the environment nor a folder names an account of it.
  package func keepingNothing() -> World {
    var world = self
    let keyring = Keyring.inMemory().noting(held)
    world.secretService = keyring
    world.vaultKeyring = keyring
    world.sharedKeyring = Keyring.notJoined
    world.files = .inMemory([.keyringDecision: Array("\(Keyring.Kind.memory.rawValue)\n".utf8)])
    let variable = environment.variable
    world.environment.variable = { name in
      switch name {
      case "ACCT_KEYRING": Keyring.Kind.memory.rawValue
      case "ACCT_ACCOUNT": nil
      default: variable(name)
      }
    }
    world.environment.directoryFiles = { [] }
    return world
  }
}

extension Keyring {
  /// A keyring of this process alone.
  fileprivate static func inMemory() -> Keyring {
    let store = MemoryItems()
    return Keyring(
      kind: .memory,
      read: { account, kinds, _ throws(KeyringFailure) in
        store.items.withLock { $0[account]?.filter { kinds.contains($0.key) } ?? [:] }
      },
      write: { account, items, _ throws(KeyringFailure) in
        store.items.withLock { stored in
          for item in items { stored[account, default: [:]][item.kind] = item.secret }
        }
      },
      remove: { account, kinds, _ throws(KeyringFailure) in
        store.items.withLock { stored in
          for kind in kinds { stored[account]?[kind] = nil }
          if stored[account]?.isEmpty == true { stored[account] = nil }
        }
      },
      list: { () throws(KeyringFailure) in store.items.withLock { $0.mapValues { Set($0.keys) } } },
      prepare: { _ throws(KeyringFailure) in },
      state: { .ready }
    )
  }
}

private final class MemoryItems: Sendable {
  let items = Mutex<[AccountID: [ItemKind: Secret]]>([:])
}
