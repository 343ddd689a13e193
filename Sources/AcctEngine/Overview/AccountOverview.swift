package import AcctModel
package import AcctPorts
import AcctProtocol
import Synchronization

/// The contents of `list` and `status`.
package struct AccountOverview: Sendable {
  let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Every account with its last known state; asks neither keyring nor server.
  package typealias Listing = Contents<Account>

  /// The output for every account, by name.
  package struct Contents<Shown: Sendable>: Sendable {
    package var accounts: [Shown]
    package var active: AccountID?
    /// Accounts whose file can't be read.
    package var damaged: [AccountID]
  }

  package func listing() throws(EngineError) -> Listing { try contents { account, _ in account } }

  /// Every account as a text, which `show` makes on several threads at once if there are many.
  package func texts(
    _ show: @Sendable (Account, _ isActive: Bool) -> [UInt8]
  ) throws(EngineError) -> Contents<[UInt8]> { try contents(show) }

  private func contents<Shown: Sendable>(
    _ show: @Sendable (Account, _ isActive: Bool) -> Shown
  ) throws(EngineError) -> Contents<Shown> {
    let accountStore = context.accountStore
    let active = try accountStore.active().current
    let isThere = Atomic(false)
    let (accounts, damaged) = try accountStore.listing { account in
      let isActive = account.id == active
      if isActive { isThere.store(true, ordering: .relaxed) }
      return show(account, isActive)
    }
    return Contents(accounts: accounts, active: isThere.load(ordering: .relaxed) ? active : nil, damaged: damaged)
  }

  /// One account, as the keyring and the clock show it now.
  package struct Status: Sendable {
    package var account: Account
    package var assessment: Assessment
    package var isActive: Bool
    package var keyringKind: Keyring.Kind
    package var keyringState: Keyring.State
    /// The failure of a keyring that did not answer.
    @Boxed package var keyringFailure: KeyringFailure? = nil
    /// The TPM that opens the vault, if that is the keyring and is sealed in one.
    @Boxed package var sealedIn: TPMAddress? = nil
    /// Why a `header` would fail, if it would.
    @Boxed package var cause: EngineError? = nil
    /// Tokens for other audiences and scopes, without the tokens.
    package var secondTokens: [SecondTokenSummary] = []
    /// The account whose token its grant starts from, if that is still there.
    package var subject: AccountName?
    /// This machine's identifier, which a guest's requests have; its limits are counted by it.
    package var deviceID: String?
  }

  package func status(of account: Account) async throws(EngineError) -> Status {
    let credentialStore = try CredentialStore(of: account, in: context)
    var account = account
    var evidence = Evidence.missing
    var keyringState = Keyring.State.ready
    var keyringFailure: KeyringFailure?
    var cause: EngineError?
    var secondTokens: [SecondTokenSummary] = []
    var key: DPoPKey?
    do {
      let credentials =
        account.incoming?.isWhole == true
        ? try await CredentialStore.readWhole(of: account, in: context)
        : try await credentialStore.readToTell()
      (account, evidence, key) = (credentials.account, credentials.evidence, credentials.key)
      secondTokens = try await credentialStore.summary(for: account)
    } catch .keyring(.failed(let failure, let kind)) {
      evidence = .failure(failure)
      keyringFailure = failure
      keyringState = failure.isLocked ? .locked : .unavailable
      cause = .keyring(.failed(failure, kind))
    }
    var assessment = account.told(evidence, at: context.world.clock.now())
    if assessment.action == .discard {
      await discard(&account)
      assessment = account.assess(.missing, at: context.world.clock.now())
    }
    cause = self.cause(assessment, cause, account)
    if cause == nil, let key, let failure = await self.failure(of: key) {
      cause = .key(.hardware(failure, key.storage))
      if let state = failure.state { assessment = Assessment(state, reason: nil, .stop) }
    }
    return Status(
      account: account,
      assessment: assessment,
      isActive: try context.accountStore.active().current == account.id,
      keyringKind: credentialStore.keyring.kind,
      keyringState: keyringState,
      keyringFailure: keyringFailure,
      sealedIn: sealedIn(credentialStore.keyring.kind),
      cause: cause,
      secondTokens: secondTokens,
      subject: try subject(of: account),
      deviceID: try deviceID(of: account)
    )
  }

  private func deviceID(of account: Account) throws(EngineError) -> String? {
    guard account.kind == .guest else { return nil }
    do throws(FilesFailure) {
      return try context.world.files.read(.deviceID).map { String(decoding: $0, as: UTF8.self).withoutCopyMarks }
    } catch { throw .files(.failed(error)) }
  }

  private func subject(of account: Account) throws(EngineError) -> AccountName? {
    guard case .account(let id)? = account.client.inputs.grantToken else { return nil }
    return try context.accountStore.account(id)?.name
  }

  /// Returns why a key in a device can't be used now; `nil` if it can, or is in the keyring.
  private func failure(of key: DPoPKey) async -> HardwareKeyFailure? {
    guard let stored = key.hardware?.stored else { return nil }
    return await context.devices?.failure(of: stored, context)
  }

  /// The TPM in which the vault is sealed; the keyring's state reports a vault that can't be read.
  private func sealedIn(_ kind: Keyring.Kind) -> TPMAddress? {
    guard kind == .vault else { return nil }
    do throws(KeyringFailure) { return try context.world.vault.sealedIn() } catch { return nil }
  }

  /// Discards a guest's expired token; if it can't be removed now, the next command removes it.
  private func discard(_ account: inout Account) async {
    try? await context.backends?.discard(account, context)
    account.take(.guestSpent, reason: StateReason.lifetimeEnded.text, at: context.world.clock.now())
  }

  /// The failure of a `header` for this account; `nil` if a token can be obtained without the user, at least by asking
  /// a server.
  private func cause(_ assessment: Assessment, _ failure: EngineError?, _ account: Account) -> EngineError? {
    switch (assessment.state, assessment.action) {
    case (.locked, _), (.unavailable, _): failure
    case (_, .use), (_, .renew): nil
    case (.reauthRequired, _) where account.tokenLasts(at: context.world.clock.now()): nil
    default: account.stateError(assessment)
    }
  }
}

extension Account {
  /// Returns `true` if its token is still valid although its session has ended.
  fileprivate func tokenLasts(at now: Timestamp) -> Bool {
    recordedState.tokenStands && tokenLifetime.secondsLeft(at: now).map { $0 > 0 } ?? true
  }
}

extension HardwareKeyFailure {
  /// The state of an account whose key has this failure; `nil` if only a PIN or a touch was missing.
  package var state: SessionState? {
    switch self {
    case .foreign, .gone: .reauthRequired
    case .noPIN, .wrongPIN, .notTouched, .cancelled: nil
    case .lockedOut: .locked
    default: .unavailable
    }
  }
}

/// Updates from a shared keyring's engine.
///
/// If the keyring is this machine's own, there is nothing to update.
extension EngineContext {
  /// Stores accounts that other machines have added and changed, and deletes those that they have removed.
  ///
  /// - Throws: The failure of the engine, or that it was restored from a backup; then the accounts here stay in their
  ///   last known state.
  func bringUpToDate() async throws(EngineError) {
    guard let shared = try sharedPlace(), try await shared.pull().isRolledBack else { return }
    throw .keyring(.failed(.rolledBack, shared.kind))
  }
}

extension AccountOverview {
  /// Updates the accounts of a shared keyring before they are shown.
  ///
  /// - Returns: A notice if the engine could not be asked: the output is then this machine's copy.
  package func bringUpToDate() async -> Notice? {
    do { try await context.bringUpToDate() } catch { return .copyShown(because: error) }
    return nil
  }
}
