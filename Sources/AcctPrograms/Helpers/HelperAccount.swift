import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// Finds the account whose credential a program gets.
///
/// Only an account that has the parsed origin is eligible. A user that the program names, if it is an account's, chooses
/// it; else `--account`, `ACCT_ACCOUNT` and `.acct` do; else ``Owners`` decides as for every command. The destinations of
/// the program decide which accounts are eligible, and `.acct` does not count for a program that passes the credential
/// on: see ``HelperReach``.
struct HelperAccount {
  /// The destination of the credential.
  let target: HelperTarget
  let context: EngineContext
  /// The servers to which the program sends the credential.
  var reach = HelperReach.address
  /// The program, if it stores logins.
  var keeper: Account.KeepingProgram?
  /// Returns `true` if the program can send a credential of a form.
  let accepts: (CredentialForm) -> Bool

  /// The account, the URL of the target that is its own (`nil` where the target has none), and the `.acct`
  /// files that were ignored.
  struct Found {
    var account: Account
    var url: HTTPURL?
    var ignored: [DirectoryFile] = []
  }

  /// Applies the rules.
  ///
  /// - Parameter reference: The account that the user named with the command.
  /// - Returns: The account, whose credential the program can send.
  /// - Throws: ``NoCredential``.
  func find(_ reference: String?) async throws(NoCredential) -> Found {
    guard reference != nil || !target.urls.isEmpty else { throw .noAddress }
    let choice = try await usualChoice(reference)
    let owners = try owners()
    if let choice, !choice.selectedBy.isPreference, owners.allow(choice.account, by: choice.selectedBy) {
      if reference != nil { return try named(choice.account) }
      let url = isExplicit(choice.selectedBy) ? ownURL(of: choice.account) : answeringURL(of: choice.account)
      if let url { return try checked(Found(account: choice.account, url: url, ignored: choice.ignored)) }
    }
    let active = choice.flatMap { $0.selectedBy.isPreference ? $0.account.id : nil }
    let decision = owners.decide(
      active: active,
      isUsable: { obstacle(to: $0) == nil },
      isPreferred: { keeper != nil && $0.keptFor == keeper }
    )
    switch decision {
    case .one(let owner, _):
      return try checked(Found(account: owner.account, url: owner.url, ignored: choice?.ignored ?? []))
    case .several(let several):
      let needsPath = several.contains { $0.url.path == "/" && $0.account.origins.hasPaths }
      throw .several(target.urls.map(\.origin), several.map(\.account.name), reach, namesNoPath: needsPath)
    case .otherUser(let user): throw .noSuchUser(user, owners.all[0].url.origin, owners.all.map(\.account.name))
    case .none: throw try none()
    }
  }

  private func named(_ account: Account) throws(NoCredential) -> Found {
    if let url = ownURL(of: account) { return try checked(Found(account: account, url: url)) }
    // The user chose both the program and the account, as with `acct token`.
    guard let origin = target.urls.first?.origin else { return try checked(Found(account: account)) }
    throw .failed(.authorization(account.refusal(of: origin)))
  }

  /// The choice by the rules of every command; `nil` if they choose no account.
  private func usualChoice(_ reference: String?) async throws(NoCredential) -> Selection.Choice? {
    do {
      return try await Selection(context).choose(reference, at: target.urls, readsDirectory: !reach.passesOn)
    } catch .selection(.noAccounts) where reference == nil {
      return nil
    } catch .selection(.noneActive) {
      return nil
    } catch {
      throw .failed(error)
    }
  }

  /// The accounts that may answer.
  private func owners() throws(NoCredential) -> Owners {
    let accounts: [Account]
    do { accounts = try context.accountStore.listing().accounts } catch { throw .failed(error) }
    let owners = accounts.compactMap { account in
      answeringURL(of: account).map { Owners.Owner(account: account, url: $0) }
    }
    return Owners(owners, user: target.user)
  }

  /// The URL of the target whose origin is the account's.
  func ownURL(of account: Account) -> HTTPURL? { target.urls.first { account.origins.contains($0.origin) } }

  /// `true` if the user chose the account for the program, and not only for a folder that docker runs in.
  private func isExplicit(_ rule: SelectedBy) -> Bool {
    switch rule {
    case .option, .environment: true
    case .directory: reach == .address
    case .active, .only, .user, .url: false
    }
  }

  /// The URL of the target whose origin is the account's, if an account that the user did not choose may answer there.
  private func answeringURL(of account: Account) -> HTTPURL? {
    guard let url = ownURL(of: account) else { return nil }
    let mayAnswer =
      switch reach {
      case .address: true
      case .registry: account.isOfRegistry(url.origin, for: keeper)
      case .named: account.isGiven(for: url.origin) || keeper.map { account.isLogin(of: $0, at: url.origin) } ?? false
      case .namedByRepository: false
      }
    return mayAnswer ? url : nil
  }

  /// The reason why none of the accounts answers.
  private func none() throws(NoCredential) -> NoCredential {
    let listing: (accounts: [Account], damaged: [AccountID])
    do { listing = try context.accountStore.listing() } catch { throw .failed(error) }
    if let skipped = context.accountStore.skipped(listing.damaged, with: target.urls.map(\.origin)) {
      return .failed(.files(.skipped(skipped)))
    }
    for account in listing.accounts {
      guard let url = ownURL(of: account) else { continue }
      return obstacle(to: account) ?? .notChosen(account.name, url.origin, reach)
    }
    return .noAccount(target.urls.map(\.origin))
  }

  /// Rejects an account whose credential the program can't send, or that is another user's.
  private func checked(_ found: Found) throws(NoCredential) -> Found {
    if let obstacle = obstacle(to: found.account) { throw obstacle }
    return found
  }

  private func obstacle(to account: Account) -> NoCredential? {
    let form = account.credentialForm
    guard accepts(form) else { return .notAccepted(account.name, form) }
    if case .basic(let own) = form, let user = target.user, own != user { return .otherUser(account.name) }
    return nil
  }
}
