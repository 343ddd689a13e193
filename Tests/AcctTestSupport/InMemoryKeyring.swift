import AcctModel
package import AcctPorts
import Synchronization

/// A keyring that lives and dies with the test, and can be made to fail like a real one.
///
/// It is trusted because it passes the same contract suite as the real ones.
package final class InMemoryKeyring: Sendable {
  /// What the keyring does when it is asked.
  package enum Mode: Sendable { case ready, locked, unavailable, frozen }

  private struct Shelf {
    var items: [AccountID: [ItemKind: Secret]] = [:]
    var mode = Mode.ready
    var writesLeft: Int?
  }
  private let shelf = Mutex(Shelf())

  package init() {}

  package var mode: Mode {
    get { shelf.withLock { $0.mode } }
    set { shelf.withLock { $0.mode = newValue } }
  }

  /// The number of items of all accounts.
  package var count: Int { shelf.withLock { $0.items.values.reduce(0) { $0 + $1.count } } }

  /// Loses everything, as when somebody else cleared the keyring.
  package func empty() { shelf.withLock { $0.items = [:] } }

  /// Loses one item of every account.
  package func remove(_ kind: ItemKind) {
    shelf.withLock { shelf in
      for account in shelf.items.keys { shelf.items[account]?[kind] = nil }
    }
  }

  /// Becomes unavailable after so many more items were written.
  package func failAfter(writes: Int) { shelf.withLock { $0.writesLeft = writes } }

  /// The keyring as commands see it.
  package var port: Keyring {
    Keyring(
      kind: .secretService,
      read: { account, kinds, _ throws(KeyringFailure) in
        try self.asked { shelf in
          (shelf.items[account] ?? [:]).filter { kinds.contains($0.key) }
        }
      },
      write: { account, items, _ throws(KeyringFailure) in
        for item in items {
          try self.asked { shelf throws(KeyringFailure) in
            if let left = shelf.writesLeft {
              guard left > 0 else { throw .unavailable(reason: "it went away") }
              shelf.writesLeft = left - 1
            }
            shelf.items[account, default: [:]][item.kind] = item.secret
          }
        }
      },
      remove: { account, kinds, _ throws(KeyringFailure) in
        try self.asked { shelf in
          for kind in kinds { shelf.items[account]?[kind] = nil }
          if shelf.items[account]?.isEmpty == true { shelf.items[account] = nil }
        }
      },
      list: { () throws(KeyringFailure) in
        try self.asked { shelf in shelf.items.mapValues { Set($0.keys) } }
      },
      prepare: { _ throws(KeyringFailure) in try self.asked { _ in } },
      state: {
        switch self.mode {
        case .ready: .ready
        case .locked: .locked
        case .unavailable, .frozen: .unavailable
        }
      }
    )
  }

  private func asked<Result: Sendable>(
    _ body: (inout Shelf) throws(KeyringFailure) -> Result
  ) throws(KeyringFailure) -> Result {
    try shelf.withLock { (shelf: inout Shelf) throws(KeyringFailure) -> Result in
      switch shelf.mode {
      case .ready: return try body(&shelf)
      case .locked: throw .locked()
      case .unavailable: throw .unavailable(reason: "none is running")
      case .frozen: throw .timedOut
      }
    }
  }
}
