package import AcctModel
import AcctPorts
import AcctProtocol

extension AccountOverview {
  /// The states of accounts whose keys are in devices that can't be used now.
  ///
  /// Only such accounts are looked at, and no person is asked: where the keyring is locked, nothing is known of them.
  ///
  /// - Parameter accounts: The accounts.
  /// - Returns: The states, by account.
  package func deviceStates(of accounts: [Account]) async -> [AccountID: SessionState] {
    var states: [AccountID: SessionState] = [:]
    var quiet = context
    quiet.interaction = .forbidden
    for account in accounts where account.keyStorage != .software {
      // `status` and `doctor` report a keyring or an item that can't be read.
      guard let stored = try? await CredentialStore(of: account, in: quiet).storedHardwareKey() else { continue }
      states[account.id] = await CheckHardwareKey(quiet).failure(of: stored, asksForPIN: false)?.state
    }
    return states
  }
}

extension HardwareKeyFailure {
  /// The state of an account whose key has this failure; `nil` if only a PIN or a touch was missing.
  var state: SessionState? {
    switch self {
    case .foreign, .gone: .reauthRequired
    case .noPIN, .wrongPIN, .notTouched, .cancelled: nil
    case .lockedOut: .locked
    default: .unavailable
    }
  }
}
