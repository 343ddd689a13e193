package import AcctModel
import AcctPorts

/// The state of the keyring in use.
package struct KeyringReport: Sendable {
  package var standing: KeyringStanding
  /// Its parts that are locked beside it, and the names of the accounts that need each.
  package var lockedParts: [(name: String, accounts: [AccountName])] = []

  /// Asks the keyring, and prompts for nothing.
  ///
  /// The engine of a shared one is asked by ``AccountsInFleet/complete(_:_:)``.
  ///
  /// - Parameters:
  ///   - context: Everything outside.
  ///   - namesParts: `true` to search for the parts that are locked beside it.
  /// - Returns: The report.
  /// - Throws: ``EngineError`` if even the choice can't be read.
  package static func of(_ context: EngineContext, namesParts: Bool = false) async throws(EngineError) -> KeyringReport
  {
    let choice = KeyringChoice(context.world)
    var report = KeyringReport(standing: KeyringStanding(kind: try choice.chosen()))
    guard let kind = report.standing.kind else { return report }
    let keyring = choice.keyring(kind)
    let state = await keyring.state()
    report.standing.state = state
    if kind == .secretService, let lock = await keyring.lock(whileIn: state) {
      report.standing.cause = .keyring(.failed(lock, kind))
    }
    report.standing.cause = report.standing.cause ?? state.failure(of: kind)
    if namesParts { report.lockedParts = await lockedParts(of: keyring, context) }
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
