import AcctModel
import AcctPorts
import AcctProtocol

/// Keeps the session that a backend puts in place of the one that a user's request carried.
///
/// A backend may take none but the newest; what it rolls by any answer would else be lost.
struct RolledSession: Sendable {
  private let world: World
  private let interaction: Interaction
  private let tell: Waiting.Teller

  init(_ world: World, _ interaction: Interaction, tell: @escaping Waiting.Teller) {
    self.world = world
    self.interaction = interaction
    self.tell = tell
  }

  /// Stores the new session, if there is one and the old one is still what is kept.
  ///
  /// - Parameters:
  ///   - head: The answer.
  ///   - origin: Whose answer; another origin's cookies are no sessions of the backend's.
  ///   - sent: The session that the request carried.
  ///   - account: Who made the request.
  /// - Throws: ``EngineError``, with time to unlock a keyring that can't take it.
  func keep(
    from head: ResponseHead,
    of origin: Origin,
    insteadOf sent: Token,
    for account: Account
  ) async throws(EngineError) {
    // What comes with a 401 is not this user's: the session that was sent means nothing there.
    guard account.kind == .session, origin == account.service, head.status != 401,
      let rolled = RolledCookie.session(in: head.fields, at: world.clock.now())?.token,
      rolled != sent
    else { return }
    let book = AccountBook(world.files)
    let held = world.signals.holdBack()
    defer { held.release() }
    try await book.exclusively(account.id) { () throws(EngineError) in
      guard let current = try book.account(account.id) else { return }
      try await Patience(world, tell)(for: current.name.description, interaction) {
        (interaction) async throws(EngineError) in
        let current = try await ReplaceCredentials(world, interaction).settled(current)
        let wallet = try Wallet(of: current, in: world, interaction)
        // A renewal, a sign-in or a later answer may have brought another one meanwhile.
        guard try await wallet.read().token == sent else { return }
        try await wallet.write([.init(.session, rolled.secret)])
      }
    }
  }
}
