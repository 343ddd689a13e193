import AcctModel
import AcctPorts

/// Stores what a server has given once and will not give again.
///
/// Before it was asked, the keyring could be written. If it has been locked since, or has gone
/// away, the user gets time to bring it back: what is held in memory meanwhile has no other safe
/// place, and without it the session may be lost.
struct PatientWrite: Sendable {
  private let world: World
  private let tell: Waiting.Teller

  init(_ world: World, _ tell: @escaping Waiting.Teller) {
    self.world = world
    self.tell = tell
  }

  /// Writes items, and tries again every second where the keyring can't take them.
  ///
  /// A person gets 2 minutes, as when the keyring itself asks; where nobody may be asked, somebody
  /// may still be about to unlock it, and gets 10 seconds.
  ///
  /// - Throws: ``EngineError/keyring(_:_:)``, as it failed the first time.
  func callAsFunction(_ items: [Keyring.Item], to wallet: Wallet) async throws(EngineError) {
    let failure: EngineError
    do { return try await wallet.write(items) } catch { failure = error }
    guard case .keyring(let cause, let kind) = failure, cause.mayPass else { throw failure }

    let seconds: Int64 = wallet.interaction == .allowed ? 120 : 10
    // Who has been asked once, and would not or could not, is not asked every second.
    let quiet = Wallet(of: wallet.account, in: wallet.keyring, .forbidden)
    defer { tell(.over) }
    tell(.toStore(account: wallet.account.name, kind, seconds: seconds))
    for _ in 0..<seconds {
      guard await world.clock.sleep(1) else { break }
      if case .success = await quiet.tried(items) { return }
    }
    throw failure
  }
}

extension Wallet {
  fileprivate func tried(_ items: [Keyring.Item]) async -> Result<Void, EngineError> {
    do throws(EngineError) { return .success(try await write(items)) } catch {
      return .failure(error)
    }
  }
}

extension KeyringFailure {
  /// Whether the same write may be taken a little later.
  fileprivate var mayPass: Bool {
    switch self {
    case .locked, .cancelled, .unavailable, .timedOut: true
    case .failed: false
    }
  }
}
