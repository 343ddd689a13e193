package import AcctModel
package import AcctPorts
import AcctProtocol

/// A session did not continue, because of its backend or the keyring.
package enum SessionError: Error, Equatable, Sendable {
  /// The backend names another user.
  case otherIdentity(expected: String, found: String, Origin)
  /// It reports that a session continues, but not whose it is.
  case unnamed(account: AccountName, Origin)
  /// It could not extend the session; that says nothing about the session itself.
  case notExtended(account: AccountName, reason: String)
  /// It rejects the session, for no reason that would end it.
  case refused(account: AccountName, reason: String)
  /// A server's answer could not be stored, although there was time to unlock the keyring.
  case notStored(KeyringFailure, Keyring.Kind)
}

/// A failure of a guest session, or of its beginning.
package enum GuestError: Error, Equatable, Sendable {
  /// 400, and the backend reports that `X-Device-ID` was missing.
  case deviceIDMissing(Origin)
  /// 429; the exhausted limit, where the backend names it, and its message.
  case limited(RateLimit?, message: String?, Origin)
  /// Any other 4xx, with the backend's message.
  case refused(status: Int, message: String?, Origin)
  /// The answer is malformed; `nil` if it is not JSON.
  case malformed(member: String?, Origin)
  /// The file of this machine's identifier has other contents.
  case damagedDeviceID
  /// A guest belongs to one machine, and other machines share the keyring.
  case shared(Keyring.Kind)
}

extension GuestError {
  /// Classifies a rejection of a guest's request.
  ///
  /// - Parameters:
  ///   - status: A 4xx.
  ///   - fault: The backend's message.
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
  /// The exhausted limit that resets last; the first limit if none is exhausted.
  var exhausted: RateLimit? {
    filter { $0.remaining ?? 0 == 0 }.max { ($0.usableAgainAt ?? .epoch) < ($1.usableAgainAt ?? .epoch) } ?? first
  }
}
