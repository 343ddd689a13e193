package import AcctModel
package import AcctPorts
import AcctProtocol

/// Finds the account that a command is for.
///
/// The user in a request's URL before `--account` before `ACCT_ACCOUNT` before the nearest `.acct` file: these choose it.
/// The active account is a preference: where another account has a longer place that the URL is in, or the URL is not its
/// own and one other account's, that one is chosen.
package struct Selection: Sendable {
  private let context: EngineContext
  private let asksEngine: Bool
  private var world: World { context.world }

  /// - Parameters:
  ///   - context: Everything outside.
  ///   - asksEngine: `true` to ask a shared keyring's engine for an account that is not found here.
  package init(_ context: EngineContext, asksEngine: Bool = true) {
    self.context = context
    self.asksEngine = asksEngine
  }

  /// The account that was chosen, and the rule that chose it.
  package struct Choice: Equatable, Sendable {
    package var account: Account
    package var selectedBy: SelectedBy
    /// The path of the `.acct` file that chose it, if one did.
    package var directoryFile: String?
    /// All accounts that this file names.
    package var directoryNames: [String] = []
    /// The name that was asked for, where the account has another one now.
    package var formerName: String?
    /// `.acct` files that were ignored.
    package var ignored: [DirectoryFile] = []
  }

  /// Applies the rules.
  ///
  /// - Parameters:
  ///   - reference: The account that the command names, if any.
  ///   - destination: The URL of the request that it is for, if it is for one.
  ///   - urls: The URLs by which a `.acct` file with several names chooses, where there is no destination.
  ///   - readsDirectory: `false` to ignore `.acct` files: a clone may have brought them.
  /// - Returns: The account, and the rule that chose it.
  /// - Throws: ``EngineError`` for an unknown or ambiguous name, a `.acct` file that can't be used, or if there is no account
  ///   to choose.
  package func choose(
    _ reference: String?,
    for destination: Destination? = nil,
    at urls: [HTTPURL] = [],
    readsDirectory: Bool = true
  ) async throws(EngineError) -> Choice {
    try await bringingUnknown { () throws(EngineError) in
      try chosen(reference, for: destination, at: urls, readsDirectory: readsDirectory)
    }
  }

  /// The account that a command which names none would be for; `nil` if that is not decided, or can't be found.
  ///
  /// - Parameter active: The active account, which is known already; it is read again only where another may come before it.
  /// - Returns: The choice; `nil` for the active account, too, where nothing comes before it.
  package func selected(before active: AccountID?) -> Choice? {
    let isOpen = active == nil || world.environment.variable("ACCT_ACCOUNT") != nil
    guard isOpen || !world.environment.directoryFiles().isEmpty else { return nil }
    return try? chosen(nil, for: nil, at: [], readsDirectory: true)
  }

  /// The other accounts that have an origin.
  package func owners(of origin: Origin) throws(EngineError) -> [AccountName] {
    try context.accountStore.listing().accounts.filter { $0.origins.contains(origin) }.map(\.name)
  }

  /// Repeats a failed search after an update from the engine of a shared keyring: another machine may have added the
  /// account.
  private func bringingUnknown<Found>(_ look: () throws(EngineError) -> Found) async throws(EngineError) -> Found {
    do throws(EngineError) { return try look() } catch {
      guard asksEngine, error.tellsOfNoAccount, let shared = try context.sharedPlace() else { throw error }
      try await shared.pull()
      return try look()
    }
  }

  private func chosen(
    _ reference: String?,
    for destination: Destination?,
    at urls: [HTTPURL],
    readsDirectory: Bool
  ) throws(EngineError) -> Choice {
    let accountStore = AccountStore(world)
    let owners = try destination.flatMap { destination throws(EngineError) in
      destination.user == nil ? nil : Owners(of: destination, among: try accountStore.listing().accounts)
    }
    if let reference {
      let choice = try named(reference, by: .option)
      if owners?.allow(choice.account, by: .option) ?? true { return choice }
    } else if let reference = world.environment.variable("ACCT_ACCOUNT") {
      let choice = try named(reference, by: .environment)
      if owners?.allow(choice.account, by: .environment) ?? true { return choice }
    }
    var ignored: [DirectoryFile] = []
    for file in readsDirectory ? world.environment.directoryFiles() : [] {
      switch file {
      case .trusted(let path, let names):
        var choice = try listed(names, in: path, at: destination.map { [$0.url] } ?? urls)
        guard owners?.allow(choice.account, by: .directory) ?? true else { break }
        choice.directoryFile = path
        choice.directoryNames = names
        choice.ignored = ignored
        return choice
      case .ignored: ignored.append(file)
      case .unusable(let path, let reason): throw .selection(.directoryFile(path: path, reason: reason))
      }
    }
    let active = try accountStore.active().current.flatMap { id throws(EngineError) in try accountStore.account(id) }
    // Without a user and places, no other account can come before the active one.
    if let active, owners == nil {
      guard let destination else { return Choice(account: active, selectedBy: .active, ignored: ignored) }
      if active.origins.contains(destination.url.origin), try !accountStore.mayHavePlaces() {
        return Choice(account: active, selectedBy: .active, ignored: ignored)
      }
    }
    let (accounts, damaged) = try accountStore.listing()
    if let destination {
      let owners = owners ?? Owners(of: destination, among: accounts)
      switch owners.decide(active: active?.id) {
      case .one(let owner, let rule): return Choice(account: owner.account, selectedBy: rule, ignored: ignored)
      case .several(let several):
        throw .selection(.severalOwn(destination.url.origin, several.map(\.account.name)))
      case .otherUser(let user):
        throw .selection(.otherUser(user, destination.url.origin, owners.all.map(\.account.name)))
      case .none:
        // No other account is proposed for what is a skipped one's.
        if let skipped = accountStore.skipped(damaged, with: [destination.url.origin]) {
          throw .files(.skipped(skipped))
        }
      }
    }
    if let active { return Choice(account: active, selectedBy: .active, ignored: ignored) }
    if accounts.count == 1, damaged.isEmpty { return Choice(account: accounts[0], selectedBy: .only, ignored: ignored) }
    let names = accounts.map(\.name)
    throw names.isEmpty ? .selection(.noAccounts) : .selection(.noneActive(candidates: names))
  }

  private func named(_ reference: String, by rule: SelectedBy) throws(EngineError) -> Choice {
    do throws(EngineError) { return Choice(account: try found(reference, by: rule), selectedBy: rule) } catch {
      guard case .selection(.unknown) = error, let renamed = try renamed(reference) else { throw error }
      return Choice(account: renamed, selectedBy: rule, formerName: reference)
    }
  }

  /// The account that was called so, if it is one alone.
  private func renamed(_ reference: String) throws(EngineError) -> Account? {
    let accounts = try AccountStore(world).listing().accounts.filter { account in
      account.formerNames.contains { $0.description == reference }
    }
    return accounts.count == 1 ? accounts[0] : nil
  }

  /// The account of a `.acct` file: of those that it names, the one that a URL is in, as ``Owners`` decides, and the first
  /// one if that is none or several.
  private func listed(_ names: [String], in path: String, at urls: [HTTPURL]) throws(EngineError) -> Choice {
    func choice(_ name: String) throws(EngineError) -> Choice {
      do throws(EngineError) { return try named(name, by: .directory) } catch .selection(
        .unknown(let reference, _, let candidates)
      ) {
        throw .selection(.unknownInFile(path: path, reference: reference, candidates: candidates))
      }
    }
    let first = try choice(names[0])
    guard names.count > 1, !urls.isEmpty else { return first }
    var choices = [first]
    for name in names.dropFirst() { choices.append(try choice(name)) }
    let owners = choices.compactMap { choice in
      urls.first { choice.account.origins.contains($0.origin) }.map { Owners.Owner(account: choice.account, url: $0) }
    }
    let chosen: AccountID?
    switch Owners(owners, user: nil).decide(active: first.account.id) {
    case .one(let owner, _): chosen = owner.account.id
    case .several(let several): chosen = several.first?.account.id
    case .none, .otherUser: chosen = nil
    }
    return choices.first { $0.account.id == chosen } ?? first
  }

  /// Finds an account by name, handle, DID, id or an unambiguous prefix of the id.
  ///
  /// A name precedes a handle, since names are unique and handles need not be.
  package func find(_ reference: String, by rule: SelectedBy = .option) async throws(EngineError) -> Account {
    try await bringingUnknown { () throws(EngineError) in try found(reference, by: rule) }
  }

  /// Checks that no other account has the same name, such as one in a shared keyring and one in another.
  private func requireAlone(_ named: Account, _ reference: String) throws(EngineError) {
    guard try context.sharedPlace() != nil || named.keptIn != nil else { return }
    let same = try context.accountStore.listing().accounts.filter { $0.name == named.name }
    guard same.count > 1 else { return }
    throw .selection(
      .ambiguous(reference: reference, candidates: same.map { (try? AccountName($0.id.description)) ?? $0.name })
    )
  }

  private func found(_ reference: String, by rule: SelectedBy) throws(EngineError) -> Account {
    let accountStore = AccountStore(world)
    if let id = try? AccountID(reference), let account = try accountStore.account(id) { return account }
    if let named = try accountStore.account(named: reference) {
      try requireAlone(named, reference)
      return named
    }
    let (accounts, damaged) = try accountStore.listing()
    if let skipped = accountStore.skipped(damaged, answeringTo: reference) { throw .files(.skipped(skipped)) }
    guard !accounts.isEmpty else { throw .selection(.noAccounts) }

    let matches = accounts.filter { $0.answers(to: reference) }
    guard let match = matches.first else {
      throw .selection(.unknown(reference: reference, selectedBy: rule, candidates: accounts.map(\.name)))
    }
    guard matches.count == 1 else {
      throw .selection(.ambiguous(reference: reference, candidates: matches.map(\.name)))
    }
    return match
  }
}

extension EngineError {
  /// `true` if no account answers to what was asked for.
  package var tellsOfNoAccount: Bool {
    switch self {
    case .selection(.unknown), .selection(.unknownInFile), .selection(.noAccounts), .files(.skipped): true
    case .selection, .authorization, .input, .inputToken, .keyring, .key, .network, .server, .signIn, .atproto,
      .provider, .transfer, .told, .files, .cancelled:
      false
    }
  }
}

extension Account {
  fileprivate func answers(to reference: String) -> Bool {
    let handle = reference.hasPrefix("@") ? reference.dropFirst() : reference[...]
    if let mine = self.handle?.description, mine == handle.lowercased() { return true }
    if did?.description == reference { return true }
    return reference.utf8.count >= 8 && id.description.hasPrefix(reference.lowercased())
  }
}

/// The accounts that have the origin of a destination, of which it is for one.
///
/// A user that the destination names decides first: that of one of the accounts, or none of them. Then the longest place
/// that the URL is in; then the active account.
package struct Owners {
  /// An account, and the URL whose origin is its own.
  package struct Owner {
    package var account: Account
    package var url: HTTPURL

    package init(account: Account, url: HTTPURL) {
      self.account = account
      self.url = url
    }
  }

  package let all: [Owner]
  /// The user that the destination names; `nil` for any.
  private let user: String?

  package init(_ all: [Owner], user: String?) {
    self.all = all
    self.user = user.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The accounts that have the origin of a URL.
  package init(of destination: Destination, among accounts: [Account]) {
    let owners = accounts.filter { $0.origins.contains(destination.url.origin) }
    self.init(owners.map { Owner(account: $0, url: destination.url) }, user: destination.user)
  }

  package enum Decision {
    case one(Owner, by: SelectedBy)
    /// More than one, and nothing decides between them.
    case several([Owner])
    /// The user is none of theirs.
    case otherUser(String)
    case none
  }

  /// The accounts of the user; empty where no user is named, or it is none of theirs.
  private var meant: [Owner] {
    guard let user else { return [] }
    let byUser = all.filter { $0.account.isOf(user, at: $0.url.origin) }
    return byUser.isEmpty ? all.filter { $0.account.isCalled(user) } : byUser
  }

  /// Returns `true` if a rule may choose an account beside the user that is named, if one is.
  ///
  /// An account that the user of acct has named comes second to one that has the user of the URL, and before none; a folder's
  /// only where the user of the URL decides nothing.
  package func allow(_ account: Account, by rule: SelectedBy) -> Bool {
    guard meant.isEmpty else { return meant.contains { $0.account.id == account.id } }
    return rule != .directory || unknownUser == nil
  }

  /// The user that is named, where it is none of several accounts' whose users are known.
  private var unknownUser: String? {
    guard meant.isEmpty, let user, !PlaceholderUser.isOne(user), all.count > 1,
      all.contains(where: { $0.account.hasUser(at: $0.url.origin) })
    else { return nil }
    return user
  }

  /// Decides for one of the accounts.
  ///
  /// - Parameters:
  ///   - active: The active account, which is also one whose credential is of no use.
  ///   - isUsable: Returns `true` if the credential of an account can be used; others yield to those.
  ///   - isPreferred: Returns `true` for an account that precedes the active one.
  /// - Returns: The decision.
  package func decide(
    active: AccountID?,
    isUsable: (Account) -> Bool = { _ in true },
    isPreferred: (Account) -> Bool = { _ in false }
  ) -> Decision {
    if let unknownUser { return .otherUser(unknownUser) }
    let meant = meant
    let rivals = meant.isEmpty ? all : meant
    let usable = rivals.filter { isUsable($0.account) || meant.isEmpty && $0.account.id == active }
    let candidates = usable.isEmpty ? rivals : usable
    let least = candidates.map(\.nearness).max()
    let nearest = candidates.filter { $0.nearness == least }
    guard let first = nearest.first else { return .none }
    let active = nearest.first { $0.account.id == active }
    let preferred = nearest.filter { isPreferred($0.account) }
    // Of those that are of no use, the first tells why.
    let one = preferred.count == 1 ? preferred.first : active ?? (nearest.count == 1 || usable.isEmpty ? first : nil)
    guard let one else { return .several(nearest) }
    return .one(one, by: !meant.isEmpty ? .user : one.account.id == active?.account.id ? .active : .url)
  }
}

/// A user whom a login of another program does not name: its account is called after the program.
package enum UnnamedUser {
  package static let names: Set<String> = ["gh", "glab", "git", "netrc", "docker", "cargo", "oidc-agent"]
}

extension Owners.Owner {
  /// The length of the longest place that the URL is in; -1 where the origin is the account's own, and the URL is in none.
  fileprivate var nearness: Int { account.origins.nearestPlace(to: url)?.path.utf8.count ?? -1 }
}

extension Account {
  /// Returns `true` if a user that a URL or a program names is this account's.
  fileprivate func isOf(_ user: String, at origin: Origin) -> Bool {
    if let own = credentialForm.basicUser { return own == user }
    return users(at: origin).contains { $0.lowercased() == user.lowercased() }
  }

  /// Returns `true` if the name of an account stands for its user; a password is given for its own user alone.
  fileprivate func isCalled(_ name: String) -> Bool { credentialForm.basicUser == nil && self.name.description == name }

  /// `true` if it is known whose account it is.
  fileprivate func hasUser(at origin: Origin) -> Bool {
    users(at: origin).contains { !PlaceholderUser.isOne($0) && !UnnamedUser.names.contains($0) }
  }

  /// The names that are known of its user.
  private func users(at origin: Origin) -> [String] {
    if let own = credentialForm.basicUser { return [own] }
    let suffix = "@\(origin.authority)"
    let named = name.description.hasSuffix(suffix) ? String(name.description.dropLast(suffix.count)) : nil
    return [named, displayName, handle?.description].compactMap(\.self)
  }
}
