import AcctModel
import AcctPorts
import AcctProtocol

/// Finds the account whose credential a program gets.
///
/// Only an account that has the parsed origin is eligible. `--account`, `ACCT_ACCOUNT` and `.acct` choose it; else a
/// user that the program names, if exactly one account matches; else the active account, or the only one that has the
/// origin. The destinations of the program decide which accounts are eligible, and `.acct` does not count for a
/// program that passes the credential on: see ``HelperReach``.
struct HelperAccount {
  private let context: EngineContext
  private let target: HelperTarget
  private let reach: HelperReach
  private let keeper: Account.KeepingProgram?
  private let accepts: (CredentialForm) -> Bool

  /// - Parameters:
  ///   - target: The destination of the credential.
  ///   - context: Everything outside.
  ///   - reach: The servers to which the program sends the credential.
  ///   - keeper: The program, if it stores logins.
  ///   - accepts: Returns `true` if the program can send a credential of a form.
  init(
    for target: HelperTarget,
    in context: EngineContext,
    reach: HelperReach = .address,
    keeper: Account.KeepingProgram? = nil,
    accepts: @escaping (CredentialForm) -> Bool
  ) {
    self.target = target
    self.context = context
    self.reach = reach
    self.keeper = keeper
    self.accepts = accepts
  }

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
    if let reference { return try await named(reference) }
    guard !target.urls.isEmpty else { throw .noAddress }
    let choice = try await usualChoice()
    if let choice, !choice.selectedBy.isPreference || keeper == nil {
      let isExplicit = isExplicit(choice.selectedBy)
      let url = isExplicit ? ownURL(of: choice.account) : answeringURL(of: choice.account)
      if let url, isExplicit || target.user.map(choice.account.isMeant) ?? true {
        return try checked(Found(account: choice.account, url: url, ignored: choice.ignored))
      }
    }
    let active = choice.flatMap { $0.selectedBy.isPreference ? $0.account.id : nil }
    return try amongAll(active: active, ignored: choice?.ignored ?? [])
  }

  private func named(_ reference: String) async throws(NoCredential) -> Found {
    let account: Account
    do { account = try await Selection(context).find(reference) } catch { throw .failed(error) }
    if let url = ownURL(of: account) { return try checked(Found(account: account, url: url)) }
    // The user chose both the program and the account, as with `acct token`.
    guard let origin = target.urls.first?.origin else { return try checked(Found(account: account)) }
    throw .failed(account.refusal(of: origin))
  }

  /// The choice by the rules of every command; `nil` if they choose no account.
  private func usualChoice() async throws(NoCredential) -> Selection.Choice? {
    do {
      return try await Selection(context).choose(nil, readsDirectory: !reach.passesOn)
    } catch .selection(.noAccounts) {
      return nil
    } catch .selection(.noneActive) {
      return nil
    } catch {
      throw .failed(error)
    }
  }

  private func amongAll(active: AccountID?, ignored: [DirectoryFile]) throws(NoCredential) -> Found {
    let accounts: [Account]
    do { accounts = try context.accountStore.listing().accounts } catch { throw .failed(error) }
    let fitting = accounts.compactMap { account in
      answeringURL(of: account).map { Found(account: account, url: $0, ignored: ignored) }
    }
    guard let first = fitting.first else { throw none(of: accounts) }
    let usable = fitting.filter { obstacle(to: $0.account) == nil }
    if let user = target.user {
      let meant = usable.filter { $0.account.isMeant(by: user) }
      if meant.count == 1, let one = meant.first { return one }
    }
    let logins = usable.filter { keeper != nil && $0.account.keptFor == keeper }
    if logins.count == 1, let login = logins.first { return login }
    if let one = fitting.first(where: { $0.account.id == active }) { return try checked(one) }
    guard let one = usable.first else { return try checked(first) }
    guard usable.count == 1 else { throw .several(target.urls.map(\.origin), usable.map(\.account.name), reach) }
    return one
  }

  /// The URL of the target whose origin is the account's.
  func ownURL(of account: Account) -> HTTPURL? { target.urls.first { account.origins.contains($0.origin) } }

  /// `true` if the user chose the account for the program, and not only for a folder that docker runs in.
  private func isExplicit(_ rule: SelectedBy) -> Bool {
    switch rule {
    case .option, .environment: true
    case .directory: reach == .address
    case .active, .only, .url: false
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
  private func none(of accounts: [Account]) -> NoCredential {
    for account in accounts {
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
