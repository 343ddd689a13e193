package import AcctModel
package import AcctPorts

/// Decides once which keyring is used, and keeps to it.
///
/// `ACCT_KEYRING` has precedence. Otherwise the first `add` decides and records the decision; from then on an outage
/// is an outage, and never a reason to use another keyring.
package struct KeyringChoice: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// The keyring that holds the accounts.
  ///
  /// - Throws: ``KeyringError/notChosen(_:)`` if none was ever decided on.
  package func decided() throws(EngineError) -> Keyring {
    if let kind = try chosen() { return keyring(kind) }
    throw .keyring(.notChosen(.never))
  }

  /// The keyring that holds an account: its own, if it has one, else that of all accounts.
  ///
  /// - Throws: ``KeyringError/notChosen(_:)``.
  package func keyring(of account: Account) throws(EngineError) -> Keyring {
    guard let own = account.keptIn.flatMap(Keyring.Kind.init) else { return try decided() }
    return keyring(own)
  }

  /// The keyring that a new account has to record: one other than the shared keyring in use, whose accounts come and
  /// go with the engine, and the process's memory; `nil` for any other account.
  func note(of kind: Keyring.Kind) throws(EngineError) -> String? {
    guard let recorded = try recorded()?.kind, recorded.isShared && recorded != kind || kind == .memory
    else { return nil }
    return kind.rawValue
  }

  /// The keyring for a new account, decided if necessary, but not yet recorded.
  package func proposed() async throws(EngineError) -> Keyring {
    if let kind = try chosen() { return keyring(kind) }
    return await world.secretService.state() == .unavailable
      ? world.vaultKeyring : world.secretService
  }

  /// Why the desktop's keyring can't be reached although the environment names its bus; `nil` without such a bus.
  func deadBus() async -> KeyringFailure? {
    guard world.environment.variable("DBUS_SESSION_BUS_ADDRESS") != nil else { return nil }
    // A state has no reason; reading an item that does not exist returns one.
    do { _ = try await world.secretService.read(world.entropy.accountID(), [.handle], .forbidden) } catch {
      return error
    }
    return nil
  }

  /// The keyring that holds the accounts, if other machines share it; `nil` also if none can be determined.
  func shared() throws(EngineError) -> Keyring? {
    do throws(EngineError) {
      let keyring = try chosen().map(keyring)
      return keyring?.accounts == nil ? nil : keyring
    } catch .keyring(.notChosen) {
      return nil
    } catch .keyring(.unknown) {
      return nil
    }
  }

  /// Records the first decision.
  ///
  /// A decision by `ACCT_KEYRING` counts as well: a user who omits the variable the next time expects to find the
  /// account again.
  func settle(on kind: Keyring.Kind) throws(EngineError) {
    guard try recorded() == nil else { return }
    try record(KeyringDecision(kind: kind))
  }

  /// Records a decision in place of the last one.
  func record(_ decision: KeyringDecision) throws(EngineError) {
    do { try world.files.replace(.keyringDecision, decision.bytes) } catch { throw .files(.failed(error)) }
  }

  /// Returns `true` if that is the recorded decision.
  func isSettled(on kind: Keyring.Kind) throws(EngineError) -> Bool {
    do throws(EngineError) { return try recorded()?.kind == kind } catch .keyring(.notChosen) {
      return false
    }
  }

  /// The keyring of a kind, whether it is chosen or not.
  func keyring(_ kind: Keyring.Kind) -> Keyring {
    if kind.isShared { return world.sharedKeyring.keyring(kind) }
    return kind == .secretService ? world.secretService : world.vaultKeyring
  }

  /// The kind in force; `nil` if none was ever decided on.
  package func chosen() throws(EngineError) -> Keyring.Kind? {
    if let kind = try demanded() {
      if kind.isShared { try requireOwnFiles(of: kind) }
      return kind
    }
    return try recorded()?.kind
  }

  /// Checks that the accounts' files here do not belong to another keyring: they would be taken for accounts that
  /// other machines have removed or changed.
  private func requireOwnFiles(of kind: Keyring.Kind) throws(EngineError) {
    guard let recorded = try recorded()?.kind, recorded != kind else { return }
    let ids: [AccountID]
    do { ids = try world.files.accounts() } catch { throw .files(.failed(error)) }
    guard ids.isEmpty else { throw .sharing(.demanded(kind)) }
  }

  /// The kind that `ACCT_KEYRING` names.
  func demanded() throws(EngineError) -> Keyring.Kind? {
    guard let text = world.environment.variable("ACCT_KEYRING"), text != "auto" else { return nil }
    guard let kind = Keyring.Kind(rawValue: text) else { throw .keyring(.unknown(text)) }
    return kind
  }

  /// The recorded decision, whatever `ACCT_KEYRING` says.
  package func recorded() throws(EngineError) -> KeyringDecision? {
    let bytes: [UInt8]?
    do { bytes = try world.files.read(.keyringDecision) } catch { throw .files(.failed(error)) }
    guard let bytes else { return nil }
    guard let decision = KeyringDecision(bytes: bytes) else {
      throw .keyring(.notChosen(.malformed))
    }
    return decision
  }
}
