import AcctModel
import Secrets
import AcctPorts
import Synchronization

/// Copies accounts to another keyring, one after the other, and reads each back; the caller holds their locks.
final class CopyAccounts: Sendable {
  private let context: EngineContext
  let source: Keyring
  let target: Keyring
  /// The accounts that were written, and were not there before.
  private let copied = Mutex<[SharedAccount]>([])

  init(_ context: EngineContext, from source: Keyring, to target: Keyring) {
    self.context = context
    self.source = source
    self.target = target
  }

  /// Returns `true` if the target has a newer version of an account, which another machine has renewed, and which is
  /// kept.
  ///
  /// - Parameters:
  ///   - account: The account in the source.
  ///   - known: Its record in a shared target.
  ///   - written: The copies that an interrupted move has written there.
  /// - Returns: `true` if the target's version is kept.
  func staysThere(_ account: Account, beside known: [UInt8]?, _ written: WrittenCopies) -> Bool {
    guard let there = known.flatMap({ context.accountStore.account(account.id, in: $0) }) else { return false }
    // Without such a move the two have no known state in common, and only their times decide.
    return written.areOthers(there) ?? there.isNewer(than: account)
  }

  /// The account in a record.
  func account(_ id: AccountID, in records: [AccountID: [UInt8]]) -> Account? {
    records[id].flatMap { context.accountStore.account(id, in: $0) }
  }

  /// Copies an account, over the target's if there is one.
  func copy(_ account: Account, beside known: [UInt8]?) async throws(EngineError) {
    let before = known.flatMap { context.accountStore.account(account.id, in: $0) }
    let items = try await read(account.id, in: source)
    // Its credentials are only in the target, as after ACCT_KEYRING for one command: there is nothing to copy.
    if items.isEmpty, try await !read(account.id, in: target).isEmpty { return }
    let stored = StoredAccount(account: account, items: items)
    guard let accounts = target.accounts else {
      noteCopied(SharedAccount(id: account.id, name: account.name, record: [], items: .unchanged))
      try await CredentialStore(of: account, in: target, context).replaceAll(with: stored.orderedItems)
      guard try await read(account.id, in: target) == items else { throw lost(account) }
      return
    }
    let shared = SharedAccount(
      id: account.id,
      name: account.name,
      record: AccountFile.encode(account.withoutFiles),
      items: .replacing(stored.orderedItems)
    )
    if before == nil { noteCopied(shared) }
    do { try accounts.store(shared, context.interaction) } catch {
      switch error {
      case .keyring(let failure): throw .keyring(.failed(failure, target.kind))
      case .nameTaken: throw .sharing(.namesTaken([account.name]))
      // It was added and removed in these moments: the move can be made again.
      case .removed, .superseded: throw lost(account)
      }
    }
    guard try record(of: account.id, accounts) == shared.record, try await read(account.id, in: target) == items
    else { throw lost(account) }
  }

  /// Removes the new copies from the target, as far as that is possible now; returns `true` if none is left.
  ///
  /// An account that another machine has changed since stays there.
  func undo() async -> Bool {
    var isDone = true
    for account in copied.withLock({ $0 }) {
      do throws(EngineError) { try await undo(account) } catch { isDone = false }
    }
    return isDone
  }

  private func undo(_ account: SharedAccount) async throws(EngineError) {
    guard let accounts = target.accounts else {
      return try await CredentialStore.removeAll(of: account.id, in: target, context)
    }
    guard let current = try record(of: account.id, accounts) else { return }
    guard current == account.record, case .replacing(let items) = account.items else {
      throw .sharing(.notKept(account.name))
    }
    let written = Dictionary(items.map { ($0.kind, $0.secret) }) { first, _ in first }
    guard try await read(account.id, in: target) == written else { throw .sharing(.notKept(account.name)) }
    do { try accounts.remove(account.id, nil, context.interaction) } catch {
      throw .keyring(.failed(error, target.kind))
    }
  }

  private func noteCopied(_ account: SharedAccount) {
    // Before the write, which may be made although it fails.
    copied.withLock { $0.append(account) }
  }

  private func lost(_ account: Account) -> EngineError { .sharing(.notKept(account.name)) }

  private func record(of id: AccountID, _ accounts: SharedAccounts) throws(EngineError) -> [UInt8]? {
    do { return try accounts.fetch(id, context.interaction) } catch { throw .keyring(.failed(error, target.kind)) }
  }

  private func read(_ id: AccountID, in keyring: Keyring) async throws(EngineError) -> [ItemKind: Secret] {
    do { return try await keyring.read(id, ItemKind.allCases, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

extension Account {
  /// Returns `true` if a server has confirmed it later, by the clocks of the machines that have asked it.
  func isNewer(than other: Account) -> Bool {
    guard let mine = validatedAt else { return false }
    guard let others = other.validatedAt else { return true }
    return mine.seconds(since: others) > 0
  }
}
