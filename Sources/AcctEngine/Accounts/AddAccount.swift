package import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets

/// Stores new credentials: as a new account, or by renewing the one that they belong to.
package struct AddAccount: Sendable {
  let context: EngineContext
  private let waitsToBegin: Bool
  let accountStore: AccountStore

  /// - Parameters:
  ///   - context: Reports that acct waits for the keyring, also if the keyring's process ends when only a part is
  ///     written.
  ///   - waitsToBegin: `true` to wait for a locked keyring before anything is written, as after a sign-in; otherwise
  ///     it is an error at once.
  package init(_ context: EngineContext, waitsToBegin: Bool = false) {
    self.context = context
    self.waitsToBegin = waitsToBegin
    accountStore = context.accountStore
  }

  /// The options of an addition, besides the credentials.
  package struct Options: Sendable {
    package var name: AccountName?
    package var activates: Bool
    package var allowedOrigins: [Place]
    package var replacement = Replacement.always

    package init(name: AccountName?, activates: Bool, allowedOrigins: [Place]) {
      self.name = name
      self.activates = activates
      self.allowedOrigins = allowedOrigins
    }
  }

  /// The rule for an account that has credentials of its own when new ones come.
  package enum Replacement: Sendable {
    /// It gets the new ones: its person has just signed in, or a program has stored them.
    case always
    /// It keeps its own if they are newer, or for other origins.
    case unlessNewer
    /// It gets the new ones, since the user says so.
    case forced
    /// It keeps its own: a key whose account was to have a name that is free.
    case never
  }

  /// The stored account, and its state before.
  package struct Added: Equatable, Sendable {
    @Boxed package var account: Account
    package var change: Change
    /// Its earlier state; `nil` for a new account.
    @Boxed var before: StoredAccount? = nil
    /// `true` if the earlier refresh token was lost, and no new one came.
    package var hasLostRefreshToken = false

    package var wasKnown: Bool { change != .added }
  }

  /// The change of an account.
  package enum Change: Sendable {
    case added, renewed
    /// It has another static token, or older tokens than before.
    case replaced
    /// It had the same tokens.
    case unchanged
  }

  /// The name of a static token's account if its user gives none.
  package func name(for credentials: NewCredentials) -> AccountName? {
    IncomingAccount(credentials, named: nil).tokenName
  }

  /// Stores `credentials` completely or not at all; signals are held back until then.
  package func add(_ credentials: NewCredentials, _ options: Options) async throws(EngineError) -> Added {
    try await add(IncomingAccount(credentials, named: options.name), options)
  }

  /// Replaces the credentials of an account that its person has signed in to again, whatever its client is from now on.
  ///
  /// Its identifier, its name and its origins stay, and so does the choice of the active account.
  package func renew(_ account: Account, with credentials: NewCredentials) async throws(EngineError) -> Added {
    let keyring = try KeyringChoice(context.world).keyring(of: account)
    // Signed in already: a keyring that was locked meanwhile gets time.
    try await KeyringRetry(context).run(for: account.name.description) { (interaction) async throws(EngineError) in
      do throws(KeyringFailure) { try await keyring.prepare(interaction) } catch {
        throw .keyring(.failed(error, keyring.kind))
      }
    }
    let incoming = IncomingAccount(credentials, named: account.name)
    let options = Options(name: nil, activates: false, allowedOrigins: [])
    guard let added = try await renew(account, incoming, options, isItself: true) else {
      throw .selection(.unknown(reference: account.name.description, selectedBy: .option, candidates: []))
    }
    return added
  }

  /// Checks that an account's own keyring accepts new credentials, before its person signs in.
  package func prepare(for account: Account) async throws(EngineError) {
    let keyring = try KeyringChoice(context.world).keyring(of: account)
    do { try await keyring.prepare(context.interaction) } catch { throw .keyring(.failed(error, keyring.kind)) }
  }

  /// Checks that no account here has newer tokens than an import.
  ///
  /// - Throws: ``TransferError/newerHere(_:)``.
  func requireNewer(_ incoming: IncomingAccount) async throws(EngineError) {
    let keyring = try await prepare()
    try await context.place(in: keyring)?.pull()
    guard let known = try sameIdentity(incoming, keyring) else { return }
    try await context.withExclusiveAccess(to: known) {
      (known, credentialStore) throws(EngineError) in
      var credentialStore = credentialStore
      credentialStore.context.interaction = .forbidden
      let before = StoredAccount(account: known, items: try await credentialStore.itemsInReach())
      _ = try incoming.change(of: before, .unlessNewer, at: context.world.clock.now())
    }
  }

  func add(_ incoming: IncomingAccount, _ options: Options) async throws(EngineError) -> Added {
    var keyring = try await prepare(for: incoming.suggestedName)
    // Another process may add or remove the same identity at any time, so the result is checked
    // again under its lock, and the search repeated if it has changed. Another machine may, too.
    var taken: Set<AccountName> = []
    while true {
      guard incoming.kind != .guest || keyring.accounts == nil else { throw .keyring(.guestNotShared(keyring.kind)) }
      guard !incoming.isOfThisMachine || keyring.accounts == nil else { throw .key(.notShared(keyring.kind)) }
      guard !incoming.hasInputs || keyring.accounts == nil else { throw .inputToken(.local(nil)) }
      try await context.place(in: keyring)?.pull()
      if let known = try sameIdentity(incoming, keyring) {
        if let added = try await renew(known, incoming, options) { return added }
      } else if let account = try await create(incoming, options, keyring, &taken) {
        return Added(account: account, change: .added)
      }
      // A move may have made another keyring the one in use.
      if try !isInUse(keyring) { keyring = try await prepare(for: incoming.suggestedName) }
    }
  }

  /// Prepares the keyring, with time to unlock it again after a sign-in.
  private func prepare(for owner: String) async throws(EngineError) -> Keyring {
    guard waitsToBegin else { return try await prepare() }
    return try await KeyringRetry(context).run(for: owner) {
      (interaction) async throws(EngineError) -> Keyring in
      try await prepare(interaction)
    }
  }

  /// Checks that the keyring accepts new credentials, and chooses one if necessary.
  @discardableResult
  package func prepare() async throws(EngineError) -> Keyring { try await prepare(context.interaction) }

  private func prepare(_ interaction: Interaction) async throws(EngineError) -> Keyring {
    let choice = KeyringChoice(context.world)
    let keyring = try await choice.proposed()
    let isFirst = keyring.kind == .vault ? try choice.chosen() == nil : false
    do { try await keyring.prepare(interaction) } catch { throw .keyring(.failed(error, keyring.kind)) }
    try choice.settle(on: keyring.kind)
    if isFirst, let reason = await choice.deadBus() { context.report(.vaultInstead(because: reason)) }
    return keyring
  }

  /// Returns `true` if new accounts still go into this keyring.
  private func isInUse(_ keyring: Keyring) throws(EngineError) -> Bool {
    try KeyringChoice(context.world).chosen() == keyring.kind
  }

  /// The account of the same identity in this keyring; one in another keyring is another account.
  private func sameIdentity(_ incoming: IncomingAccount, _ keyring: Keyring) throws(EngineError) -> Account? {
    let recorded = try KeyringChoice(context.world).recorded()?.kind
    // As noted by ``KeyringChoice/note(of:)``: without a note, it is in the shared keyring, or in the one in use.
    let common = recorded.flatMap { $0.isShared ? $0 : nil } ?? keyring.kind
    // Two accounts may differ only in the scope of their client: then the exact match is meant.
    let same = try accountStore.listing().accounts.filter {
      incoming.isSame(as: $0) && $0.keptIn ?? common.rawValue == keyring.kind.rawValue
    }
    return same.first(where: incoming.hasClient) ?? same.first
  }

  /// Makes a new account, or returns `nil` if its identity has appeared meanwhile, or its name on another machine, or
  /// the accounts were moved.
  private func create(
    _ incoming: IncomingAccount,
    _ options: Options,
    _ keyring: Keyring,
    _ taken: inout Set<AccountName>
  ) async throws(EngineError) -> Account? {
    try await accountStore.exclusively { () throws(EngineError) -> Account? in
      let held = context.world.signals.holdBack()
      defer { held.release() }
      guard try sameIdentity(incoming, keyring) == nil, try isInUse(keyring) else { return nil }
      var account = incoming.account(
        try id(for: incoming),
        try name(for: incoming, options, besides: taken),
        createdAt: context.world.clock.now()
      )
      account.allowPlaces(options.allowedOrigins)
      account.keptIn = try KeyringChoice(context.world).note(of: keyring.kind)
      // Tokens of an export are as old as they were there.
      context.note(.added, of: &account, when: incoming.storedAt)
      let credentialStore = CredentialStore(of: account, in: keyring, context)
      do throws(EngineError) {
        // Items that an interrupted removal left under its identifier are not its own.
        try await credentialStore.storeNew(incoming.items, isAlone: account.id != incoming.id)
        if options.activates { try accountStore.setActive(accountStore.active().switched(to: account.id)) }
      } catch .selection(.nameTaken) where !taken.contains(account.name) {
        // Another machine has just taken it; if the user gave it, the next attempt reports it as taken.
        taken.insert(account.name)
        return nil
      } catch {
        // Nothing is left half-done: the part written before the failure is deleted again, as far as possible. The
        // first failure is the one to report.
        try? await credentialStore.removeAll()
        try? accountStore.delete(account.id)
        throw error
      }
      return account
    }
  }

  /// Renews a known account; returns `nil` if it was removed meanwhile, or no longer matches.
  private func renew(
    _ known: Account,
    _ incoming: IncomingAccount,
    _ options: Options,
    isItself: Bool = false
  ) async throws(EngineError) -> Added? {
    do {
      return try await context.withExclusiveAccess(to: known) {
        (known, credentialStore) throws(EngineError) -> Added? in
        // A static token's account is known by its name, which another process can have changed.
        guard isItself || incoming.isSame(as: known) else { return nil }
        guard options.replacement != .never else { throw .input(.staticToken(.nameTaken(known.name))) }
        // It keeps its name; one that belongs to another account was meant otherwise.
        if let name = options.name, name != known.name { try accountStore.requireFree(name) }
        if options.name == nil, let sentAs = incoming.sentAs, known.sentAs != sentAs {
          throw .input(.staticToken(.sentOtherwise(known.name)))
        }
        guard known.keyStorage == .software || incoming.mayLeaveDevice else {
          throw .key(.leavesDevice(known.name, known.keyStorage))
        }
        let before = StoredAccount(account: known, items: try await credentialStore.itemsInReach())
        let now = context.world.clock.now()
        let change = try incoming.change(of: before, options.replacement, allowing: options.allowedOrigins, at: now)
        let held = context.world.signals.holdBack()
        defer { held.release() }
        // Of an export nothing else is taken then: it may have origins that were revoked since.
        let isKept = change == .unchanged && incoming.isMoved
        if isKept, options.allowedOrigins.isEmpty {
          if options.activates {
            try await accountStore.exclusively { () throws(EngineError) in
              try accountStore.setActive(accountStore.active().switched(to: known.id))
            }
          }
          return Added(account: known, change: change, before: before)
        }
        var account = isKept ? known : incoming.account(known.id, known.name, createdAt: known.createdAt)
        // An export of version 0.1.0 has no source; then it is unchanged.
        account.source = account.source ?? known.source
        account.signIn = account.signIn ?? known.signIn
        account.keptIn = known.keptIn
        account.history = known.history
        account.formerNames = known.formerNames
        if change != .unchanged { context.note(.signedIn, of: &account, when: incoming.storedAt) }
        if options.replacement != .forced || !incoming.isKnownByName { account.keepAllowedOrigins(of: known) }
        account.allowPlaces(options.allowedOrigins)
        // Without a person in both it may be another one's.
        let isSure = !isItself || incoming.isNamed && incoming.isSame(as: known)
        let earlier = EarlierRefreshToken(of: before, for: account, incoming.items, isSure: isSure)
        var items = incoming.items
        if isItself { account.keepPerson(of: known, with: &items) }
        earlier.complete(&account, &items)
        try await ReplaceCredentials(context)
          .replace(known, with: account, items, in: credentialStore.keyring, waits: true, activates: options.activates)
        return Added(account: account, change: change, before: before, hasLostRefreshToken: earlier.isLost)
      }
    } catch .selection(.unknown) {
      return nil
    }
  }

  /// The identifier that it had elsewhere if no account here has it, otherwise a new one.
  private func id(for incoming: IncomingAccount) throws(EngineError) -> AccountID {
    guard let id = incoming.id else { return context.world.entropy.accountID() }
    do {
      return try context.world.files.read(.account(id)) == nil
        ? id : context.world.entropy.accountID()
    } catch {
      throw .files(.failed(error))
    }
  }

  private func name(
    for incoming: IncomingAccount,
    _ options: Options,
    besides taken: Set<AccountName>
  ) throws(EngineError) -> AccountName {
    if let name = options.name {
      try accountStore.requireFree(name, besides: taken)
      return name
    }
    guard incoming.sentAs != nil else {
      return try accountStore.freeName(like: incoming.suggestedName, besides: taken, context.world.entropy)
    }
    // A static token's account is found by its name alone: one with a number would never be found.
    guard let name = incoming.tokenName else { throw .input(.staticToken(.unnamed)) }
    do throws(EngineError) {
      try accountStore.requireFree(name, besides: taken)
    } catch .selection(.nameTaken) {
      throw .input(.staticToken(.nameTaken(name)))
    }
    return name
  }
}

extension Account {
  /// Takes what the new sign-in did not state from the account before it.
  ///
  /// A DID's document has been read anew; elsewhere the server need not repeat what an import or a userinfo stated.
  fileprivate mutating func keepPerson(of known: Account, with items: inout [Keyring.Item]) {
    guard kind != .static else {
      takeOrigins(of: known)
      keptFor = known.keptFor
      return
    }
    identity.subject = identity.subject ?? known.identity.subject
    displayName = displayName ?? known.displayName
    guard did == nil else { return }
    (handle, did) = (known.handle, known.did)
    if let handle { items.append(.init(.handle, Secret(handle.description))) }
    if let did { items.append(.init(.did, Secret(did.description))) }
    keepOrigins(of: known)
  }
}

/// The refresh token from before a new sign-in whose response has none.
///
/// Some servers send one only at the first consent, or only for some scopes. It is not tried out: that would use it
/// up.
enum EarlierRefreshToken {
  /// There was none, or the new sign-in brought its own.
  case notNeeded
  case kept(Secret, OwnGrant?)
  /// It is for less than the new scope, bound to another key, or of a session that has ended; or the server does not
  /// name the user of either, so that another person may have signed in.
  case lost

  /// - Parameters:
  ///   - before: The account before the sign-in, with its items.
  ///   - account: The account with its new credentials.
  ///   - items: Those credentials.
  ///   - isSure: `false` if it is not known that both are one person's.
  init(of before: StoredAccount, for account: Account, _ items: [Keyring.Item], isSure: Bool) {
    let known = before.account
    // The AT Protocol sends one each time, and the earlier session is revoked.
    guard account.kind == .oauth, known.source == .issuer, account.source == .issuer, account.did == nil,
      !account.client.grant.renewsItself, !items.contains(where: { $0.kind == .refreshToken }),
      let token = before.items[.refreshToken]
    else {
      self = .notNeeded
      return
    }
    let (old, new) = (Scope.words(known.scope), Scope.words(account.scope))
    guard isSure, account.subjectStatements != SubjectStatements(), known.recordedState.state != .reauthRequired,
      known.tokenType == account.tokenType, known.thumbprint == account.thumbprint,
      known.identity.clientID == account.identity.clientID, new.allSatisfy(old.contains)
    else {
      self = .lost
      return
    }
    // A renewal that names the scope keeps the account at the smaller one, which the user wanted.
    let isSmaller = !new.isEmpty && Set(new) != Set(old)
    let grant =
      isSmaller
      ? OwnGrant(scope: account.scope, audiences: known.ownGrant?.audiences ?? [])
      : known.ownGrant
    self = .kept(token, grant)
  }

  var isLost: Bool { if case .lost = self { true } else { false } }

  /// Adds it to new credentials, before the access token: all later items can be obtained again with it.
  func complete(_ account: inout Account, _ items: inout [Keyring.Item]) {
    guard case .kept(let token, let grant) = self else { return }
    let place = items.firstIndex { $0.kind == account.kind.tokenItem } ?? items.endIndex
    items.insert(.init(.refreshToken, token), at: place)
    account.tokenLifetime.canRenew = true
    account.ownGrant = grant
  }
}
