package import AcctModel
package import AcctPorts

/// The state of the keyring in use, and of the one that this machine shares.
package struct KeyringReport: Sendable {
  /// The keyring in use; `nil` if none was chosen yet.
  package var kind: Keyring.Kind?
  package var state: Keyring.State?
  /// Its parts that are locked beside it, and the names of the accounts that need each.
  package var lockedParts: [(name: String, accounts: [AccountName])] = []
  /// The shared keyring that this machine has joined, whether it is in use or not.
  @Boxed package var settings: SharedKeyringSettings? = nil
  /// The report of its engine.
  @Boxed package var engine: SharedKeyring.Report? = nil
  /// The accounts for which this machine has an answer to store there, by their names here.
  package var waiting: [AccountName] = []
  /// Who shares it, and what opens it; `nil` while it is locked.
  @Boxed package var members: SharedMembers? = nil
  /// Why the keyring in use, or the shared one, can't be used now.
  @Boxed package var cause: EngineError? = nil

  /// Asks the keyring, and the engine of a shared one; prompts for nothing.
  ///
  /// - Parameters:
  ///   - context: Everything outside.
  ///   - namesParts: `true` to search for the parts that are locked beside it.
  /// - Returns: The report.
  /// - Throws: ``EngineError`` if even the choice can't be read.
  package static func of(_ context: EngineContext, namesParts: Bool = false) async throws(EngineError) -> KeyringReport
  {
    let choice = KeyringChoice(context.world)
    var report = KeyringReport(kind: try choice.chosen())
    let shared = context.world.sharedKeyring
    do {
      report.settings = try shared.settings()
      if let kind = report.kind, kind.isShared, report.settings?.kind != kind {
        report.cause = .keyring(.failed(.notJoined, kind))
      }
    } catch {
      report.cause = .keyring(.failed(error, report.kind ?? .etcd))
    }
    if let kind = report.kind {
      report.state = await choice.keyring(kind).state()
      let keyring = choice.keyring(kind)
      if kind == .secretService, let state = report.state, let lock = await keyring.lock(whileIn: state) {
        report.cause = report.cause ?? .keyring(.failed(lock, kind))
      }
      report.cause = report.cause ?? report.state.flatMap { $0.failure(of: kind) }
      if namesParts { report.lockedParts = await lockedParts(of: keyring, context) }
    }
    guard let settings = report.settings else { return report }
    let engine: SharedKeyring.Report
    do { engine = try shared.report() } catch {
      // The engine's own error has precedence over that of a state, which has no reason.
      if report.state != .locked { report.cause = .keyring(.failed(error, settings.kind)) }
      return report
    }
    report.engine = engine
    if report.kind == settings.kind, let lock = engine.lock {
      report.state = .locked
      report.cause = .keyring(.failed(lock, settings.kind))
    }
    report.waiting = try context.accountStore.listing().accounts.filter { engine.pending.contains($0.id) }.map(\.name)
    if report.cause == nil {
      // One of the form of earlier versions has no such list.
      do { report.members = try shared.membership.members(.forbidden) } catch { report.members = nil }
    }
    if engine.isRolledBack { report.cause = .keyring(.failed(.rolledBack, settings.kind)) }
    return report
  }
}

extension KeyringReport {
  /// The locked parts of a keyring; none if it does not say.
  private static func lockedParts(
    of keyring: Keyring,
    _ context: EngineContext
  ) async -> [(name: String, accounts: [AccountName])] {
    guard keyring.kind == .secretService, let accounts = try? context.accountStore.listing().accounts,
      let parts = try? await keyring.lockedParts(accounts.map(\.id))
    else { return [] }
    return parts.map { part in (part.name, accounts.filter { part.accounts.contains($0.id) }.map(\.name)) }
  }
}

extension Keyring {
  /// The failure of a locked keyring, with its reason, which a state does not have; `nil` in another state.
  fileprivate func lock(whileIn state: State) async -> KeyringFailure? {
    guard state == .locked else { return nil }
    do { try await prepare(.forbidden) } catch { return error }
    return nil
  }
}

extension Keyring.State {
  fileprivate func failure(of kind: Keyring.Kind) -> EngineError? {
    switch self {
    case .ready: nil
    case .locked: .keyring(.failed(.locked(), kind))
    case .unavailable: .keyring(.failed(.unavailable(reason: ""), kind))
    }
  }
}
