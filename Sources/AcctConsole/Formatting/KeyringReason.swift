package import AcctEngine
import AcctModel
import AcctPorts

extension AccountOverview.Status {
  /// The assessment with the reason in words, if there is one.
  package var shownAssessment: Assessment {
    var shown = assessment
    shown.reason = assessment.reason ?? keyringFailure?.reason
    return shown
  }
}

extension KeyringFailure {
  /// The reason for the state of an account whose keyring did not answer.
  fileprivate var reason: String? {
    switch self {
    case .locked(let reason, _): reason
    case .sealed: "its TPM does not open it, and no passphrase did"
    case .cancelled: nil
    case .unavailable(let reason), .failed(let reason), .damagedHeader(let reason): reason
    case .noVault: "there is no vault yet"
    case .timedOut: "the keyring did not answer in time"
    case .notJoined: "this machine has joined no shared keyring"
    case .engine(let failure): failure.reason
    case .rolledBack: "the shared keyring was restored from a backup"
    case .damagedAccount: "what the shared keyring has of it is damaged"
    case .answerWaits: "a server's answer is still to be stored on the shared keyring"
    case .answerUnopened: "a server's answer waits for the shared keyring, and no key opens it any more"
    case .removedMachine(let host, _): "this machine was removed from the shared keyring by \(printable(host))"
    case .machineKey(_, .foreign): "the TPM that had this machine's key was cleared, or is another one"
    case .machineKey: "the TPM with this machine's key does not open the shared keyring"
    case .settings: "the settings of the shared keyring can't be used"
    }
  }
}

extension SharedStoreFailure {
  fileprivate var reason: String {
    switch self {
    case .unavailable(let reason), .denied(let reason), .untrusted(let reason), .notPrepared(let reason),
      .failed(let reason):
      reason
    case .timedOut: "the shared keyring did not answer in time"
    case .readOnly: "this machine can only read the shared keyring"
    case .noQuorum: "too few members of the shared keyring are there"
    case .noSpace: "the shared keyring takes no more writes"
    }
  }
}
