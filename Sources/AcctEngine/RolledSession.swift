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
  ///   - response: The answer; what had to be read of it comes again.
  ///   - url: Whose answer; another origin's cookies are no sessions of the backend's.
  ///   - sent: The session that the request carried.
  ///   - account: Who made the request.
  /// - Throws: ``EngineError``: the answer is about somebody else's session, or the keyring can't
  ///   take it, with time to unlock it.
  func keep(
    from response: inout StreamedResponse,
    of url: HTTPURL,
    insteadOf sent: Token,
    for account: Account
  ) async throws(EngineError) {
    guard account.kind == .session, url.origin == account.service,
      let rolled = try await rolled(by: &response, of: url)
    else { return }
    try account.require(rolled.owner, url.origin, world.held)
    let session = rolled.session.token
    guard session != sent else { return }
    let book = AccountBook(world.files)
    let held = world.signals.holdBack()
    defer { held.release() }
    try await book.exclusively(account.id) { () throws(EngineError) in
      guard var current = try book.account(account.id) else { return }
      let isStored = try await Patience(world, tell)(for: current.name.description, interaction) {
        (interaction) async throws(EngineError) in
        let current = try await ReplaceCredentials(world, interaction).settled(current)
        let wallet = try Wallet(of: current, in: world, interaction)
        // A renewal, a sign-in or a later answer may have brought another one meanwhile.
        guard try await wallet.read().token == sent else { return false }
        try await wallet.write([.init(.session, session.secret)])
        return true
      }
      // Another process may have shown the backend the old one since, and been told that it is over.
      guard isStored, current.standing != .signedIn else { return }
      current.take(.replaced, at: world.clock.now())
      try book.save(current)
    }
  }

  /// What an answer puts in the old one's place; only an answer about the session names its owner.
  private func rolled(
    by response: inout StreamedResponse,
    of url: HTTPURL
  ) async throws(EngineError) -> RolledCookie? {
    let now = world.clock.now()
    guard RolledCookie.session(in: response.head.fields, at: now) != nil else { return nil }
    let answer =
      SessionBackend.paths.contains(url.path)
      ? await response.answer(redacting: world.held.redactor) : nil
    do {
      return try RolledCookie(
        in: response.head.fields,
        status: response.head.status,
        naming: answer,
        at: now
      )
    } catch {
      throw .oauth(error, url.origin)
    }
  }
}
