package import AcctModel
package import Secrets
package import AcctPorts
import Synchronization

/// A keyring that lives as long as the test, which can lock it and make it fail.
///
/// It passes the same contract suite as the real ones, which is why it can stand in for them.
package final class InMemoryKeyring: Sendable {
  private struct Contents {
    var items: [AccountID: [ItemKind: Secret]] = [:]
    var isLocked = false
    var unlocksWhenAsked = false
    var outage: KeyringFailure?
    var writesUntilFailure: Int?
    var writeFailure = KeyringFailure.unavailable(reason: "a test said so")
    var removalFailure: KeyringFailure?
    var interruption: (@Sendable () -> Void)?
    var refusal: (@Sendable () -> Void)?
    var gate: (@Sendable () async -> Void)?
    var lockedPart: String?
    var partQuestions = 0
    var reads = 0
    var readKinds: [ItemKind] = []
    /// How often it was locked, and items came or went; `nil` where it announces nothing.
    var changes: UInt64?
  }

  private let contents = Mutex(Contents())
  private let lifeline: Lifeline

  package init(_ lifeline: Lifeline = Lifeline()) { self.lifeline = lifeline }

  /// What is in it, whether locked or not.
  package var items: [AccountID: [ItemKind: Secret]] { contents.withLock { $0.items } }

  package func lock() {
    contents.withLock { contents in
      contents.isLocked = true
      contents.changes? += 1
    }
  }

  /// Lets it announce its changes from now on, as GNOME Keyring does: not what acct writes over an item.
  package func announceChanges() { contents.withLock { $0.changes = 0 } }
  /// Announces a change, such as another program's.
  package func announceChange() { contents.withLock { $0.changes? += 1 } }
  /// Lets it announce nothing any more.
  package func silence() { contents.withLock { $0.changes = nil } }

  /// Locks a part of it that has the items of all accounts.
  package func lockPart(named name: String) { contents.withLock { $0.lockedPart = name } }

  /// How often it was asked for its locked parts.
  package var partQuestions: Int { contents.withLock { $0.partQuestions } }

  package func unlock() { contents.withLock { $0.isLocked = false } }

  /// Decides the user's answer to a request to unlock it; without this, they refuse.
  package func unlockWhenAsked() { contents.withLock { $0.unlocksWhenAsked = true } }

  /// Makes every call fail from now on, or none any more.
  package func fail(with failure: KeyringFailure?) { contents.withLock { $0.outage = failure } }

  /// Lets so many more items be written, and makes the writes after them fail.
  package func failWrites(after count: Int, with failure: KeyringFailure = .unavailable(reason: "a test said so")) {
    contents.withLock {
      $0.writesUntilFailure = count
      $0.writeFailure = failure
    }
  }

  /// Makes every removal fail from now on, or none any more.
  package func failRemovals(with failure: KeyringFailure?) { contents.withLock { $0.removalFailure = failure } }

  /// Does something once, after the next item has been read, as another process might.
  package func interruptNextRead(_ action: @escaping @Sendable () -> Void) {
    contents.withLock { $0.interruption = action }
  }

  /// Does something whenever it refuses, such as moving the time for a slow keyring.
  package func whenRefusing(_ action: @escaping @Sendable () -> Void) { contents.withLock { $0.refusal = action } }

  /// Lets every read wait for something before it begins.
  package func holdReads(until gate: @escaping @Sendable () async -> Void) {
    contents.withLock {
      $0.gate = gate
      $0.reads = 0
    }
  }

  /// How many reads have begun since they were held.
  package var heldReads: Int { reads }

  /// The kinds of the items that were asked for, in their order.
  package var readKinds: [ItemKind] { contents.withLock { $0.readKinds } }

  /// How many reads have begun since it was made, or they were held.
  package var reads: Int { contents.withLock { $0.reads } }

  /// Puts an item into every account, as another process does.
  package func put(_ kind: ItemKind, _ secret: Secret) {
    contents.withLock { contents in
      for account in contents.items.keys { contents.items[account]?[kind] = secret }
    }
  }

  /// Returns the keyring itself, as a command gets it, in the place of one of the real ones.
  package func keyring(as kind: Keyring.Kind = .secretService) -> Keyring {
    var keyring = Keyring(
      kind: kind,
      read: { account, kinds, interaction throws(KeyringFailure) in
        let gate = self.contents.withLock { contents in
          contents.reads += 1
          contents.readKinds += kinds
          return contents.gate
        }
        if let gate { await gate() }
        // One by one, in the order asked for, as the vault reads its files.
        var found: [ItemKind: Secret] = [:]
        for kind in kinds {
          found[kind] = try self.use(interaction) { contents throws(KeyringFailure) in contents.items[account]?[kind] }
          self.contents.withLock { $0.interruption.take() }?()
        }
        return found
      },
      write: { account, items, interaction throws(KeyringFailure) in
        try self.use(interaction) { contents throws(KeyringFailure) in
          for item in items { try self.write(item, of: account, to: &contents) }
        }
      },
      remove: { account, kinds, interaction throws(KeyringFailure) in
        try self.use(interaction) { contents throws(KeyringFailure) in
          guard self.lifeline.isAlive else { throw Self.died }
          if let failure = contents.removalFailure { throw failure }
          for kind in kinds where contents.items[account]?[kind] != nil {
            guard self.lifeline.write() else { throw Self.died }
            contents.items[account]?[kind] = nil
          }
          if contents.items[account]?.isEmpty == true { contents.items[account] = nil }
        }
      },
      list: { () throws(KeyringFailure) in
        guard self.lifeline.isAlive else { throw Self.died }
        return try self.contents.withLock { contents throws(KeyringFailure) in
          if let outage = contents.outage { throw outage }
          return contents.items.mapValues { Set($0.keys) }
        }
      },
      prepare: { interaction throws(KeyringFailure) in try self.use(interaction) { _ throws(KeyringFailure) in } },
      state: {
        self.contents.withLock { contents in
          if contents.outage != nil { return .unavailable }
          return contents.isLocked ? .locked : .ready
        }
      },
      changes: { self.contents.withLock { $0.changes.map(ChangeMark.init) } }
    )
    keyring.lock = { () throws(KeyringFailure) in self.lock() }
    keyring.lockedParts = { accounts in
      self.contents.withLock { contents in
        contents.partQuestions += 1
        return contents.lockedPart.map { [Keyring.LockedPart(name: $0, accounts: accounts)] } ?? []
      }
    }
    return keyring
  }

  /// Does `body` if the keyring is reachable and open, or opened by its prompt.
  private func use<Result: Sendable>(
    _ interaction: Interaction,
    _ body: (inout Contents) throws(KeyringFailure) -> Result
  ) throws(KeyringFailure) -> Result {
    guard lifeline.isAlive else { throw Self.died }
    let (isRefusing, refusal) = contents.withLock { contents in
      (contents.outage != nil || contents.isLocked, contents.refusal)
    }
    if isRefusing { refusal?() }
    return try contents.withLock { contents throws(KeyringFailure) in
      if let outage = contents.outage { throw outage }
      if contents.isLocked {
        guard interaction == .allowed, contents.unlocksWhenAsked else { throw .locked() }
        contents.isLocked = false
      }
      return try body(&contents)
    }
  }

  private static let died = KeyringFailure.unavailable(reason: "the process has died")

  private func write(_ item: Keyring.Item, of account: AccountID, to contents: inout Contents) throws(KeyringFailure) {
    guard lifeline.write() else { throw Self.died }
    if let left = contents.writesUntilFailure {
      guard left > 0 else { throw contents.writeFailure }
      contents.writesUntilFailure = left - 1
    }
    contents.items[account, default: [:]][item.kind] = item.secret
  }
}

extension Keyring {
  /// A keyring that lives as long as the test, for tests that do not control it.
  package static func inMemory() -> Keyring { InMemoryKeyring().keyring() }
}
