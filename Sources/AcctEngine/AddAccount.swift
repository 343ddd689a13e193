package import AcctModel
package import AcctPorts
import AcctProtocol

/// Keeps new credentials: as a new account, or by renewing the one with the same identity.
package struct AddAccount: Sendable {
  private let world: World
  private let interaction: Interaction
  private let book: AccountBook

  package init(_ world: World, _ interaction: Interaction) {
    self.world = world
    self.interaction = interaction
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
  }

  /// Stores `credentials`, or nothing of them; signals wait until it is one or the other.
  package func callAsFunction(
    _ credentials: NewCredentials,
    _ options: Options
  ) async throws(EngineError) -> Added {
    let keyring = try await prepare()

    // Another process may add or remove the same identity at any time, so whichever was found
    // is looked at again under its lock, and the search repeated if it has changed.
    while true {
      if let known = try sameIdentity(credentials) {
        if let account = try await renew(known.id, credentials, options, keyring) {
          return Added(account: account, wasKnown: true)
        }
      } else if let account = try await create(credentials, options, keyring) {
        return Added(account: account, wasKnown: false)
      }
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

  private func sameIdentity(_ credentials: NewCredentials) throws(EngineError) -> Account? {
    try book.listing().accounts.first {
      credentials.kind == .guest
        ? $0.isGuest(of: credentials.service)
        : $0.kind == credentials.kind && $0.identity.isSame(as: credentials.identity)
    }
  }

  /// Makes a new account, or returns `nil` if its identity has appeared meanwhile.
  private func create(
    _ credentials: NewCredentials,
    _ options: Options,
    _ keyring: Keyring
  ) async throws(EngineError) -> Account? {
    try await book.exclusively { () throws(EngineError) -> Account? in
      let held = world.signals.holdBack()
      defer { held.release() }
      guard try sameIdentity(credentials) == nil else { return nil }
      var account = credentials.account(
        world.entropy.accountID(),
        try name(for: credentials, options),
        createdAt: world.clock.now()
      )
      account.allow(options.allowedOrigins)
      let wallet = Wallet(of: account, in: keyring, interaction)
      do throws(EngineError) {
        try await wallet.write(credentials.items)
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
    _ credentials: NewCredentials,
    _ options: Options,
    _ keyring: Keyring
  ) async throws(EngineError) -> Account? {
    try await book.exclusively(id) { () throws(EngineError) -> Account? in
      let held = world.signals.holdBack()
      defer { held.release() }
      guard let known = try book.account(id) else { return nil }
      var account = credentials.account(id, known.name, createdAt: known.createdAt)
      account.allow(known.origins + options.allowedOrigins)
      let wallet = Wallet(of: account, in: keyring, interaction)
      return try await book.exclusively { () throws(EngineError) -> Account in
        // Before anything is written: a refused name must leave the old credentials whole.
        if let name = options.name, name != known.name {
          try requireFree(name)
          account.name = name
        }
        try await wallet.write(credentials.items)
        let written = credentials.items.map(\.kind)
        try await wallet.remove(ItemKind.allCases.filter { !written.contains($0) })
        try book.save(account)
        if options.activates { try book.setActive(book.active().switched(to: id)) }
        return account
      }
    }
  }

  private func name(
    for credentials: NewCredentials,
    _ options: Options
  ) throws(EngineError) -> AccountName {
    if let name = options.name {
      try requireFree(name)
      return name
    }
    let taken = Set(try book.listing().accounts.map(\.name.description))
    let base = (try? AccountName(credentials.suggestedName))?.description ?? "account"
    let candidates = [base] + (2...).lazy.prefix(taken.count + 1).map { "\(base)-\($0)" }
    for candidate in candidates where !taken.contains(candidate) {
      if let name = try? AccountName(candidate) { return name }
    }
    // Only a name at the greatest length has no free neighbour: the identifier is always free.
    do { return try AccountName(world.entropy.accountID().description) } catch {
      throw .malformed(error)
    }
  }

  private func requireFree(_ name: AccountName) throws(EngineError) {
    guard try !book.listing().accounts.contains(where: { $0.name == name }) else {
      throw .nameTaken(name)
    }
  }
}

extension Account {
  /// Adds origins that its credentials may be sent to.
  mutating func allow(_ more: [Origin]) {
    for origin in more where !origins.contains(origin) { origins.append(origin) }
  }
}
