import AcctModel
import Secrets
package import AcctPorts
import FleetPorts
import PrivateFiles
import Synchronization
import Vault

extension SharedVault {
  /// The keyring of a kind, as every keyring is used.
  package func keyring(_ kind: Keyring.Kind) -> Keyring {
    var keyring = Keyring(
      kind: kind,
      read: { account, kinds, interaction throws(KeyringFailure) in
        try self.read(self.session(kind), account, kinds, interaction)
      },
      write: { account, items, interaction throws(KeyringFailure) in
        try self.write(self.session(kind), account, items, interaction)
      },
      remove: { account, kinds, interaction throws(KeyringFailure) in
        try self.remove(self.session(kind), account, kinds, interaction)
      },
      list: { () throws(KeyringFailure) in try self.list(self.session(kind)) },
      prepare: { interaction throws(KeyringFailure) in try self.prepare(self.session(kind), interaction) },
      state: { self.state(kind) },
      accounts: SharedAccounts(
        fetch: { account, interaction throws(KeyringFailure) in
          try self.fetch(self.session(kind), account, interaction)
        },
        fetchAll: { interaction throws(KeyringFailure) in try self.fetchAll(self.session(kind), interaction) },
        store: { account, interaction throws(SharedAccountFailure) in
          let session: Session
          do throws(KeyringFailure) { session = try self.session(kind) } catch { throw .keyring(error) }
          try self.store(session, account, interaction)
        },
        remove: { account, event, interaction throws(KeyringFailure) in
          try self.remove(self.session(kind), account, event, interaction)
        },
        claim: { intent, interaction throws(KeyringFailure) in
          try await self.claim(self.session(kind), intent, interaction)
        },
        holder: { name, interaction throws(KeyringFailure) in
          let session = try self.session(kind)
          return try self.holder(of: name, session, self.seal(session, interaction))
        },
        removals: { interaction throws(KeyringFailure) in
          try self.removals(self.session(kind), interaction)
        }
      )
    )
    keyring.lock = { () throws(KeyringFailure) in try self.lock() }
    keyring.unlock = { interaction throws(KeyringFailure) in try self.unlock(self.session(kind), interaction) }
    return keyring
  }

  /// Reads from this machine's copy, and asks the engine only where there is none.
  private func read(
    _ session: Session,
    _ id: AccountID,
    _ kinds: [ItemKind],
    _ interaction: Interaction
  ) throws(KeyringFailure) -> [ItemKind: Secret] {
    guard !kinds.isEmpty else { return [:] }
    let seal = try seal(session, interaction)
    let items = try stored(session, seal, id)?.items ?? [:]
    var found: [ItemKind: Secret] = [:]
    for kind in kinds { found[kind] = items[kind.rawValue] }
    return found
  }

  /// Lists the engine's accounts, else those that this machine has copies of.
  private func list(_ session: Session) throws(KeyringFailure) -> [AccountID: Set<ItemKind>] {
    do { _ = try fetchAll(session, .forbidden) } catch { guard case .engine = error else { throw error } }
    let copies = try copies.all()
    guard !copies.isEmpty else { return [:] }
    let seal = try seal(session, .forbidden)
    var accounts: [AccountID: Set<ItemKind>] = [:]
    for (id, copy) in copies {
      let place = session.places.account(id)
      guard let object = try seal.local.objectIfWhole(copy.bytes, of: id, at: place) else { continue }
      let kinds = Set(object.items.keys.compactMap(ItemKind.init(rawValue:)))
      if !kinds.isEmpty { accounts[id] = kinds }
    }
    return accounts
  }

  private func prepare(_ session: Session, _ interaction: Interaction) throws(KeyringFailure) {
    _ = try seal(session, interaction)
    isConfirmed = false
    try confirm(session)
    // A full disk has to show before a refresh token is spent: an answer may have to wait on it.
    do { try copies.pending.checkWritable(size: Self.spaceForRenewal) } catch { throw KeyringFailure(error) }
  }

  /// Opens it, and keeps the key that a person has opened in the kernel.
  ///
  /// A file, a key in a TPM and one in a desktop's keyring open it again.
  private func unlock(_ session: Session, _ interaction: Interaction) throws(KeyringFailure) -> Int? {
    do throws(KeyringFailure) {
      try prepare(session, .forbidden)
      let (means, hasSecret) = (try opened(session, .forbidden).means, try opener.hasSecret())
      return means == .passphrase && !hasSecret ? opener.opener.cache.extendLast() : nil
    } catch {
      guard error.isLocked, interaction == .allowed else { throw error }
    }
    try prepare(session, interaction)
    let means = try opened(session, .forbidden).means
    if let seconds = opener.opener.cache.extendLast() { return seconds }
    if means == .machine, try identity()?.key?.isInVault != true { return nil }
    throw .locked(
      reason: "the passphrase is right, and the kernel does not keep the key: \(opener.opener.cache.refusalReason)",
      openedBy: .fileForEach
    )
  }

  /// The most that a pending answer takes, in bytes, generously.
  private static let spaceForRenewal = 65_536

  private func state(_ kind: Keyring.Kind) -> Keyring.State {
    do {
      let session = try session(kind)
      _ = try seal(session, .forbidden, keeping: false)
      _ = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
      return .ready
    } catch {
      return error.isLocked ? .locked : .unavailable
    }
  }
}
