package import AcctModel
package import AcctPorts
import AcctProtocol

/// A session did not continue, because of its backend or the keyring.
package enum SessionError: Error, Equatable, Sendable {
  /// The backend names another user.
  case otherIdentity(expected: String, found: String, Origin)
  /// It says that a session goes on, but not whose it is.
  case unnamed(account: AccountName, Origin)
  /// It could not extend the session; that says nothing of the session itself.
  case notExtended(account: AccountName, reason: String)
  /// It refuses the session, for no reason that would end it.
  case refused(account: AccountName, reason: String)
  /// What a server gave could not be stored, although there was time to unlock the keyring.
  case notStored(KeyringFailure, Keyring.Kind)
}

/// How a guest session can fail, or fail to begin.
package enum GuestError: Error, Equatable, Sendable {
  /// 400, and the backend says that `X-Device-ID` was missing.
  case deviceIDMissing(Origin)
  /// 429; the limit that is used up, where the backend tells it, and its words.
  case limited(RateLimit?, message: String?, Origin)
  /// Any other 4xx, with the backend's words.
  case refused(status: Int, message: String?, Origin)
  /// The answer is malformed; `nil` if it is not JSON.
  case malformed(member: String?, Origin)
  /// The file of this machine's identifier has other contents.
  case damagedDeviceID
  /// A guest belongs to one machine, and other machines share the keyring.
  case shared(Keyring.Kind)
}

extension GuestError {
  /// What a refusal of a guest's request means.
  ///
  /// - Parameters:
  ///   - status: A 4xx.
  ///   - fault: The backend's words.
  ///   - limits: The limits that came with it.
  ///   - origin: The backend.
  init(status: Int, _ fault: BackendFault, _ limits: [RateLimit], _ origin: Origin) {
    self =
      switch status {
      case 400 where fault.namesDeviceID: .deviceIDMissing(origin)
      case 429: .limited(limits.exhausted, message: fault.message, origin)
      default: .refused(status: status, message: fault.message, origin)
      }
  }
}

extension [RateLimit] {
  /// Of the limits with nothing left, the one that lasts longest.
  fileprivate var exhausted: RateLimit? {
    filter { $0.remaining ?? 0 == 0 }.max { ($0.usableAgainAt ?? .epoch) < ($1.usableAgainAt ?? .epoch) } ?? first
  }
}
