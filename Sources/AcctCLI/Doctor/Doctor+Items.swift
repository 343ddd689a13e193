import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks that accounts have their items, and items their accounts.
  func items(in keyring: Keyring) async -> [Finding] {
    do throws(EngineError) {
      var (accounts, orphans) = try await compared(keyring)
      if !orphans.isEmpty {
        // `add` writes items before it writes the file, under this lock: items that still have no file here are
        // orphans.
        return try await accountStore.exclusively { () throws(EngineError) -> [Finding] in
          (accounts, orphans) = try await compared(keyring)
          var findings: [Finding] = []
          for id in orphans { findings.append(await orphan(id, keyring)) }
          return findings + accounts
        }
      }
      return accounts.isEmpty ? [Finding(.itemsMatch)] : accounts
    } catch .keyring(.failed(let failure, let kind)) {
      return [Finding(.itemsUnknown(failure, kind))]
    } catch {
      return [Finding(.failed(error))]
    }
  }

  /// Accounts without their items, and items without an account.
  private func compared(_ keyring: Keyring) async throws(EngineError) -> ([Finding], orphans: [AccountID]) {
    let listed: [AccountID: Set<ItemKind>]
    do { listed = try await keyring.list() } catch { throw .keyring(.failed(error, keyring.kind)) }
    let accounts = try accountStore.listing().accounts
    let hidden: [Keyring.LockedPart]
    do { hidden = try await keyring.lockedParts(accounts.map(\.id)) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
    let findings = accounts.compactMap { account in
      // Another keyring has its credentials, or a locked part of this one, which another check reports.
      account.keptIn != nil && account.keptIn != keyring.kind.rawValue
        || hidden.contains { $0.accounts.contains(account.id) }
        ? nil
        : account.missingItem(among: listed[account.id] ?? []).map { Finding(.missing($0, of: account.name)) }
    }
    let own = context.world.sharedKeyring.membership.ownItem()
    return (findings, try accountStore.orphans(among: listed.keys, besides: own))
  }

  private func orphan(_ id: AccountID, _ keyring: Keyring) async -> Finding {
    // A shared keyring has the record of an account, which is fetched as it is.
    guard repairs, keyring.accounts == nil else { return Finding(.orphans(id, rebuilt: nil)) }
    do throws(EngineError) {
      let account = try await RebuildAccount(context.world).rebuild(id, from: keyring)
      return Finding(.orphans(id, rebuilt: account.name), isRepaired: true)
    } catch {
      return Finding(.orphans(id, rebuilt: nil))
    }
  }
}
