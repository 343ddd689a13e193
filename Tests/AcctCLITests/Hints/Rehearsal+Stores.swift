import AcctModel
import AcctPorts
import Secrets
import Synchronization

extension Rehearsal {
  /// Files whose changes stay in the rehearsal.
  func files(over base: Files) -> Files {
    var files = base
    files.read = { file throws(FilesFailure) in
      if let changed = self.state.withLock({ $0.files[file] }) { return changed }
      return try base.read(file)
    }
    files.replace = { file, bytes throws(FilesFailure) in
      self.state.withLock { _ = $0.files.updateValue(bytes, forKey: file) }
    }
    files.remove = { file throws(FilesFailure) in self.state.withLock { _ = $0.files.updateValue(nil, forKey: file) } }
    files.accounts = { () throws(FilesFailure) in
      let changed = self.changedAccounts
      return try base.accounts().filter { changed[$0] == nil } + changed.compactMap { $1 == nil ? nil : $0 }
    }
    files.eachAccount = { body throws(FilesFailure) in
      let changed = self.changedAccounts
      let wantsMore = Mutex(true)
      try base.eachAccount { accounts in
        let same = accounts.filter { changed[$0.id] == nil }
        let wants = same.isEmpty || body(same)
        wantsMore.withLock { $0 = wants }
        return wants
      }
      for case (let id, let bytes?) in changed where wantsMore.withLock({ $0 }) {
        let wants = body([(id, .success(bytes))])
        wantsMore.withLock { $0 = wants }
      }
    }
    files.inspect = { file in
      let found = base.inspect(file)
      return (found.path, self.state.withLock { $0.files[file] ?? nil } ?? found.text, found.isOwn)
    }
    files.lock = { _, _ throws(FilesFailure) in HeldLock {} }
    files.changes = { nil }
    return files
  }

  private var changedAccounts: [AccountID: [UInt8]?] {
    var changed: [AccountID: [UInt8]?] = [:]
    for case (.account(let id), let bytes) in state.withLock({ $0.files }) { changed.updateValue(bytes, forKey: id) }
    return changed
  }

  /// A keyring whose changes stay in the rehearsal, and which only a person could unlock.
  func keyring(over base: Keyring) -> Keyring {
    var keyring = base
    let kind = base.kind
    let open: @Sendable (Interaction) async throws(KeyringFailure) -> Void = { interaction throws(KeyringFailure) in
      do throws(KeyringFailure) {
        try await base.prepare(.forbidden)
      } catch {
        throw interaction == .allowed && error.isLocked ? self.leave(error) : error
      }
    }
    keyring.read = { account, kinds, interaction throws(KeyringFailure) in
      try await open(interaction)
      let changed = self.state.withLock { $0.items[kind]?[account] } ?? [:]
      var found = try await base.read(account, kinds, .forbidden)
      for item in kinds { if let change = changed[item] { found[item] = change } }
      return found
    }
    keyring.write = { account, items, interaction throws(KeyringFailure) in
      try await open(interaction)
      self.change(kind, account, items.map { ($0.kind, $0.secret) })
    }
    keyring.remove = { account, kinds, interaction throws(KeyringFailure) in
      try await open(interaction)
      self.change(kind, account, kinds.map { ($0, nil) })
    }
    keyring.list = { () throws(KeyringFailure) in
      var listed = try await base.list()
      let changed = self.state.withLock { $0.items[kind] ?? [:] }
      for (account, items) in changed {
        for (item, secret) in items {
          if secret == nil { listed[account]?.remove(item) } else { listed[account, default: []].insert(item) }
        }
        if listed[account]?.isEmpty == true { listed[account] = nil }
      }
      return listed
    }
    keyring.prepare = open
    keyring.lock = { () throws(KeyringFailure) in throw self.leave(.cancelled) }
    keyring.changes = { nil }
    return keyring
  }

  private func change(_ keyring: Keyring.Kind, _ account: AccountID, _ items: [(ItemKind, Secret?)]) {
    state.withLock { state in
      for (item, secret) in items {
        state.items[keyring, default: [:]][account, default: [:]].updateValue(secret, forKey: item)
      }
    }
  }

  /// A keyring of which there is no copy.
  func awayKeyring(_ kind: Keyring.Kind) -> Keyring {
    Keyring(
      kind: kind,
      read: { _, _, _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      write: { _, _, _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      remove: { _, _, _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      list: { () throws(KeyringFailure) in throw self.leave(.cancelled) },
      prepare: { _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      state: { self.leave(.locked) }
    )
  }

  /// A vault that only a person could open or change.
  func vault(over base: Vault) -> Vault {
    Vault(
      isThere: { () throws(KeyringFailure) in throw self.leave(.cancelled) },
      unlock: { _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      lock: { () throws(KeyringFailure) in throw self.leave(.cancelled) },
      changePassphrase: { _, _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      reset: { () throws(KeyringFailure) in throw self.leave(.cancelled) },
      seal: { _, _ throws(VaultSealFailure) in throw self.leave(.vault(.cancelled)) },
      unseal: { _ throws(KeyringFailure) in throw self.leave(.cancelled) },
      sealedIn: { () throws(KeyringFailure) in throw self.leave(.cancelled) },
      checkSeal: { () throws(KeyringFailure) in throw self.leave(.cancelled) }
    )
  }
}
