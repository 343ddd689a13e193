import AcctEngine
import AcctModel
import AcctPorts
import AcctConsole

extension Doctor {
  /// Checks that accounts have their items, and items their accounts.
  func items(in found: FoundKeyring) async -> [Finding] {
    do throws(EngineError) {
      var (accounts, orphans) = try await compared(found)
      if !orphans.isEmpty {
        // `add` writes items before it writes the file, under this lock: items that still have no file here are
        // orphans.
        return try await accountStore.exclusively { () throws(EngineError) -> [Finding] in
          (accounts, orphans) = try await compared(found)
          var findings: [Finding] = []
          for id in orphans { findings.append(await orphan(id, found.keyring)) }
          return findings + accounts
        }
      }
      return accounts.isEmpty ? [Finding(.ok, "items", "accounts and the keyring agree")] : accounts
    } catch .keyring(.failed(let failure, let kind)) {
      let message = ErrorMessage(failure, kind)
      let text = "accounts could not be compared with the keyring: \(message.text)"
      return [Finding(.warning, "itemsUnknown", text, fix: message.hint)]
    } catch {
      return [Finding(ErrorMessage(error))]
    }
  }

  /// Accounts without their items, and items without an account.
  private func compared(_ found: FoundKeyring) async throws(EngineError) -> ([Finding], orphans: [AccountID]) {
    let keyring = found.keyring
    let listed: [AccountID: Set<ItemKind>]
    do { listed = try await keyring.list() } catch { throw .keyring(.failed(error, keyring.kind)) }
    let accounts = try accountStore.listing().accounts
    let locked: [Keyring.LockedPart]
    do { locked = try found.lockedParts.get() } catch { throw .keyring(.failed(error, keyring.kind)) }
    let findings = accounts.compactMap { account in
      // Another keyring has its credentials, or a locked part of this one, which another check reports.
      account.keptIn != nil && account.keptIn != keyring.kind.rawValue
        || locked.contains { $0.accounts.contains(account.id) }
        ? nil
        : account.missingItem(among: listed[account.id] ?? []).map { missing($0, account.name) }
    }
    let own = context.fleet?.ownItem()
    return (findings, try accountStore.orphans(among: listed.keys, besides: own))
  }

  private func missing(_ kind: ItemKind, _ name: AccountName) -> Finding {
    if kind == .refreshToken {
      return Finding(
        .warning,
        "missingItem",
        "the refresh token of \(name) is not in the keyring: it can't be renewed",
        fix: "\(loginHint(name)) before it expires"
      )
    }
    let item =
      switch kind {
      case .keypair, .certificate, .certificateKey, .clientSecret, .clientKey: words(for: kind)
      // Any of a token is its token.
      default: "token"
      }
    return Finding(
      .problem,
      "missingItem",
      "the \(item) of \(name) is not in the keyring",
      fix: "\(loginHint(name)), or `\(acctLine("remove", name.description))`"
    )
  }

  /// Reports items whose account has no file, and rebuilds that.
  private func orphan(_ id: AccountID, _ keyring: Keyring) async -> Finding {
    // A shared keyring has the record of an account, which is fetched as it is. What can't be rebuilt stays an orphan.
    if repairs, keyring.accounts == nil,
      let account = try? await RebuildAccount(context.world).rebuild(id, from: keyring)
    {
      let message = "the file of \(id) was missing, and has been rebuilt as \(account.name)"
      let status = acctLine("status", account.name.description)
      return Finding(.problem, "orphanedItems", message).repaired(true, next: "check it with `\(status)`")
    }
    return Finding(
      .problem,
      "orphanedItems",
      "the keyring holds secrets of \(id), which has no file",
      fix: "with the keyring unlocked, \(repairLine) rebuilds it"
    )
  }

  /// Checks that every item of every account can be read, and is of the form that acct writes.
  ///
  /// Another check reports a keyring that is locked or becomes unavailable.
  func contents(of keyring: Keyring) async -> [Finding] {
    // The checks of accounts and items report a failure to list those.
    guard let accounts = try? accountStore.listing().accounts, let listed = try? await keyring.list() else { return [] }
    var findings: [Finding] = []
    for account in accounts {
      let name = account.name
      for kind in ItemKind.allCases where listed[account.id]?.contains(kind) ?? false {
        do throws(EngineError) {
          try await CredentialStore(of: account, in: keyring, context).check(kind)
        } catch .keyring(.damagedItem) {
          let message = "the \(words(for: kind)) of \(name) in the keyring is not what acct writes"
          findings.append(Finding(.problem, "damagedItem", message, fix: loginHint(name)))
        } catch .keyring(.failed(.failed(let reason), _)) {
          let message = "the \(words(for: kind)) of \(name) can't be read: \(reason)"
          let fix = "restore it from a backup; or \(loginHint(name))"
          findings.append(Finding(.problem, "damagedItem", message, fix: fix))
        } catch {
          return findings
        }
      }
    }
    return findings
  }
}

/// The name of a kind of item.
private func words(for kind: ItemKind) -> String {
  switch kind {
  case .accessToken: "access token"
  case .refreshToken: "refresh token"
  case .expiresAt: "expiry"
  case .handle: "handle"
  case .did: "DID"
  case .keypair: "DPoP key"
  case .secondTokens: "tokens for other audiences and scopes"
  case .clientSecret: "client secret"
  case .clientKey: "client key"
  case .certificate: "client certificate"
  case .certificateKey: "key of the client certificate"
  case .session: "session"
  case .guest: "guest token"
  case .staticToken: "static token"
  case .idToken: "ID token"
  case .roleKeys: "temporary keys of cloud roles"
  case .registration: "access to the client's registration"
  }
}
