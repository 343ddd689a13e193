import AcctCrypto
import Secrets
import AcctPorts
import Synchronization

/// The keys of a keyring's objects as a call has them: the epoch's, and those of earlier ones.
///
/// Each object says which epoch's key sealed it. The first one of the engine makes the call ask for the header, and so
/// does each of a later epoch. One of the epoch before counts only while objects are still to be sealed anew: a machine
/// that was removed has the former key, and can write such an object at any time.
final class EpochKeys: Sendable {
  /// The keys that a header has been opened to.
  struct Opened: Sendable {
    var current: EpochKey
    /// `nil` for a keyring of one key for ever.
    var header: KeyringHeader?
    var means = Means.keyFile
    /// The passphrase or key file that has opened the header just now; `nil` where the kernel had the key.
    var recipient: String?

    /// `true` while objects of the epoch before are still to be sealed anew.
    var isChanging: Bool { header?.isChanging ?? false }

    /// The key of this epoch or of an earlier one, as far as the header's chain reaches.
    func key(of epoch: Int64) -> EpochKey? {
      if epoch == current.epoch { return current }
      return header?.key(of: epoch, from: current)
    }

    /// The roster.
    ///
    /// - Throws: ``KeyringFailure/damagedHeader(_:)`` if it does not open.
    func roster() throws(KeyringFailure) -> Roster {
      guard let roster = header?.roster(current) else { throw .damagedHeader("its list of machines does not open") }
      return roster
    }
  }

  typealias Renewal = @Sendable (Opened) throws(KeyringFailure) -> Opened

  private struct State {
    var opened: Opened
    /// `true` if the engine has this header, by an answer to this call.
    var isConfirmed = false
    var former: [Int64: Secret] = [:]
  }

  private let state: Mutex<State>
  private let renewal: Renewal

  /// - Parameters:
  ///   - opened: The header in use, opened.
  ///   - renewal: Asks the engine for its header, and opens that; one that stays as it is without it.
  init(_ opened: Opened, renewal: @escaping Renewal = { opened throws(KeyringFailure) in opened }) {
    state = Mutex(State(opened: opened))
    self.renewal = renewal
  }

  /// The only key of a keyring of the former form.
  convenience init(_ key: Secret) {
    self.init(Opened(current: EpochKey(epoch: 1, key: key)))
  }

  /// The key that seals from now on, and what the header says of it.
  var opened: Opened { state.withLock { $0.opened } }

  /// Asks the engine for its header once more.
  func confirm() throws(KeyringFailure) {
    let renewed = try renewal(opened)
    state.withLock { state in
      if renewed.current.epoch >= state.opened.current.epoch { state.opened = renewed }
      state.isConfirmed = true
    }
  }

  /// Takes the header in use for the engine's: this process has just put it there.
  func assumeConfirmed() { state.withLock { $0.isConfirmed = true } }

  /// The key that opens an object.
  ///
  /// - Parameters:
  ///   - epoch: The one that the object names.
  ///   - isLocal: `true` for an object that this machine has written to its own disk: any epoch's key will do.
  /// - Returns: `nil` if there is none, or none that counts any more.
  /// - Throws: ``KeyringFailure`` if the header has to be asked for, and can't be.
  func key(of epoch: Int64, isLocal: Bool) throws(KeyringFailure) -> Secret? {
    let now = opened
    if isLocal {
      if now.current.epoch == epoch { return now.current.key }
      if epoch < now.current.epoch { return former(epoch, now) }
    }
    // A keyring of the former form asks only where it meets a later one.
    let isKnown = state.withLock { $0.isConfirmed } || now.header == nil
    if epoch > now.current.epoch || !isKnown { try confirm() }
    let then = opened
    if epoch == then.current.epoch { return then.current.key }
    guard then.isChanging, epoch == then.current.epoch - 1 else { return nil }
    return former(epoch, then)
  }

  /// The key of an earlier epoch, which is looked for once.
  private func former(_ epoch: Int64, _ opened: Opened) -> Secret? {
    if let key = state.withLock({ $0.former[epoch] }) { return key }
    guard let key = opened.key(of: epoch)?.key else { return nil }
    state.withLock { $0.former[epoch] = key }
    return key
  }
}

/// The means by which a machine opens a keyring.
enum Means: String, Sendable {
  case passphrase
  case keyFile = "keyfile"
  /// A key of its own.
  case machine
}
