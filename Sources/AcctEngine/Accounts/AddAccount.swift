package import AcctModel
package import AcctPorts
import AcctProtocol

/// Keeps new credentials: as a new account, or by renewing the one that they belong to.
package struct AddAccount: Sendable {
  let world: World
  private let interaction: Interaction
  private let patience: Patience
  private let waitsToBegin: Bool
  let book: AccountBook

  /// - Parameters:
  ///   - world: Everything outside.
  ///   - interaction: Whether a person may be asked to unlock the keyring.
  ///   - waitsToBegin: Whether a keyring that is locked is waited for before anything is written,
  ///     as after a sign-in; otherwise it is an error at once.
  ///   - tell: Told of a keyring that is waited for: also of one that goes away when only a part
  ///     is written.
  package init(
    _ world: World,
    _ interaction: Interaction,
    waitsToBegin: Bool = false,
    tell: @escaping Waiting.Teller = { _ in }
  ) {
    self.world = world
    self.interaction = interaction
    self.waitsToBegin = waitsToBegin
    patience = Patience(world, tell)
    book = AccountBook(world.files)
  }

  /// What the user asked for besides the credentials.
  package struct Options: Sendable {
    package var name: AccountName?
    package var activates: Bool
    package var allowedOrigins: [Origin]

    package init(name: AccountName?, activates: Bool, allowedOrigins: [Origin]) {
      self.name = name
      self.activates = activates
      self.allowedOrigins = allowedOrigins
    }
  }

  /// The account, and whether it was there before.
  package struct Added: Equatable, Sendable {
    package var account: Account
    package var wasKnown: Bool
    /// What it was before.
    var before: Holding?
  }

  /// Stores `credentials`, or nothing of them; signals wait until it is one or the other.
  package func callAsFunction(
    _ credentials: NewCredentials,
    _ options: Options
  ) async throws(EngineError) -> Added {
    try await self(Arrival(credentials), options)
  }

  func callAsFunction(_ arrival: Arrival, _ options: Options) async throws(EngineError) -> Added {
    let keyring = try await prepare(for: arrival.suggestedName)

    // Another process may add or remove the same identity at any time, so whichever was found
    // is looked at again under its lock, and the search repeated if it has changed.
    while true {
      if let known = try sameIdentity(arrival) {
        if let added = try await renew(known.id, arrival, options, keyring) { return added }
      } else if let account = try await create(arrival, options, keyring) {
        return Added(account: account, wasKnown: false)
      }
    }
  }

  /// The same, with time to unlock it again: the user has just signed in.
  private func prepare(for owner: String) async throws(EngineError) -> Keyring {
    guard waitsToBegin else { return try await prepare() }
    return try await patience(for: owner, interaction) {
      (interaction) async throws(EngineError) -> Keyring in
      try await AddAccount(world, interaction).prepare()
    }
  }

  /// Makes sure that the keyring would take new credentials, and decides on one if need be.
  @discardableResult
  package func prepare() async throws(EngineError) -> Keyring {
    let choice = KeyringChoice(world)
    let keyring = try await choice.proposed()
    do { try await keyring.prepare(interaction) } catch { throw .keyring(error, keyring.kind) }
    try choice.settle(on: keyring)
    return keyring
  }

  private func sameIdentity(_ arrival: Arrival) throws(EngineError) -> Account? {
    try book.listing().accounts.first(where: arrival.isSame)
  }

  /// Makes a new account, or returns `nil` if its identity has appeared meanwhile.
  private func create(
    _ arrival: Arrival,
    _ options: Options,
    _ keyring: Keyring
  ) async throws(EngineError) -> Account? {
    try await book.exclusively { () throws(EngineError) -> Account? in
      let held = world.signals.holdBack()
      defer { held.release() }
      guard try sameIdentity(arrival) == nil else { return nil }
      var account = arrival.account(
        try id(for: arrival),
        try name(for: arrival, options),
        createdAt: world.clock.now()
      )
      account.origins.add(options.allowedOrigins, for: .user)
      let wallet = Wallet(of: account, in: keyring, interaction)
      do throws(EngineError) {
        if account.id == arrival.id {
          // What a removal that was cut short has left under this identifier is not its own.
          try await wallet.replaceAll(with: arrival.items)
        } else {
          try await wallet.write(arrival.items)
        }
        try book.save(account)
        if options.activates { try book.setActive(book.active().switched(to: account.id)) }
      } catch {
        // Nothing half: what was written before the failure goes again, as far as it can. The
        // first failure is the one to tell.
        try? await wallet.remove(ItemKind.allCases)
        try? book.delete(account.id)
        throw error
      }
      return account
    }
  }

  /// Renews a known account, or returns `nil` if it has been removed meanwhile.
  private func renew(
    _ id: AccountID,
    _ arrival: Arrival,
    _ options: Options,
    _ keyring: Keyring
  ) async throws(EngineError) -> Added? {
    try await book.exclusively(id) { () throws(EngineError) -> Added? in
      let held = world.signals.holdBack()
      defer { held.release() }
      guard let found = try book.account(id) else { return nil }
      let replace = ReplaceCredentials(world, interaction)
      let known = try await replace.settled(found)
      var account = arrival.account(id, options.name ?? known.name, createdAt: known.createdAt)
      // An export of version 0.1.0 does not tell; then it is what it was.
      account.source = account.source ?? known.source
      account.origins.keepUsers(of: known.origins)
      account.origins.add(options.allowedOrigins, for: .user)
      let items = try await Wallet(of: known, in: keyring, interaction).items(ItemKind.allCases)
      try await replace(
        known,
        with: account,
        arrival.items,
        in: keyring,
        patience,
        activates: options.activates
      )
      let before = Holding(account: known, items: items)
      return Added(account: account, wasKnown: true, before: before)
    }
  }

  /// The identifier that it had elsewhere, if nothing here goes by it.
  private func id(for arrival: Arrival) throws(EngineError) -> AccountID {
    guard let id = arrival.id else { return world.entropy.accountID() }
    do {
      return try world.files.read(.account(id)) == nil ? id : world.entropy.accountID()
    } catch {
      throw .files(error)
    }
  }

  private func name(
    for arrival: Arrival,
    _ options: Options
  ) throws(EngineError) -> AccountName {
    guard let name = options.name else {
      return try book.freeName(like: arrival.suggestedName, world.entropy)
    }
    try book.requireFree(name)
    return name
  }
}
