import AcctModel
import AcctPorts
import AcctProtocol

/// What is done about credentials that a server has refused.
extension MakeRequest {
  /// Renews what a 401 has refused, or has its backend say whether it goes on.
  ///
  /// - Parameters:
  ///   - account: Whose credentials; afterwards as it is then.
  ///   - refused: What the request carried. Another process may have put something else in its
  ///     place since; that has not been refused.
  /// - Throws: ``EngineError``; the credentials are kept in every case.
  func renew(
    _ account: inout Account,
    insteadOf refused: Authorize.Authorization
  ) async throws(EngineError) {
    switch account.kind {
    case .oauth:
      try await Renewal(context).renew(account) {
        current in
        current.tokenLifetime.expiresAt == refused.expiresAt
      }
    case .session:
      // The backend's word is asked for: no clock has told that this session would be refused.
      try await SessionRenewal(context)
        .check(account, insteadOf: refused.token)
    case .guest: break
    }
    account = try AccountStore(context.world.files).account(account.id) ?? account
  }

  /// Does what a guest's backend asks for by refusing, and says what only a guest must know.
  func meet(
    _ response: inout StreamedResponse,
    asGuest account: Account
  ) async throws(EngineError) {
    switch response.head.status {
    case 401:
      if let end = try await GuestTokenEnd(context).refused(account) { throw end }
    case 400:
      guard let origin = account.service,
        await response.fault(redacting: context.world.held.redactor).namesDeviceID
      else { return }
      throw .request(.deviceIDMissing(origin))
    default: return
    }
  }
}
