package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release

/// The backends of apps, as far as only they can do something for the accounts that they issued: sealed sessions and guests.
///
/// The core knows such an account by its kind, keeps its token, and releases it. How a backend is asked, what its answers
/// mean and how a user signs in there, is not the core's.
package protocol AppBackends: AnyObject, Sendable {
  /// Renews a sealed session, if the reason still applies under its account's lock.
  ///
  /// - Returns: The session as it is then stored, whichever process has renewed it.
  /// - Throws: The reason why it could not be renewed; it is kept in every case.
  func renew(
    _ account: Account,
    because reason: RenewalReason,
    _ context: EngineContext
  ) async throws(EngineError) -> RenewedSession

  /// Asks the backend of an account to end its session; returns the status of the answer, and `nil` without a backend.
  func end(_ session: Token, of account: Account, _ context: EngineContext) async throws(EngineError) -> Int?

  /// Finds the field that each request of a guest has beside its token.
  func companion(_ context: EngineContext) async throws(EngineError) -> HeaderField

  /// Discards the token of a guest that has expired, unless a new one has replaced it.
  func discard(_ guest: Account, _ context: EngineContext) async throws(EngineError)

  /// Applies the effect that an answer to a request of the user's has on a session or a guest.
  ///
  /// - Parameters:
  ///   - response: The answer; the part of its body that is read is returned again.
  ///   - method: The method of the request.
  ///   - url: The URL of the request.
  ///   - sent: The token that the request carried.
  ///   - account: The account that made the request.
  ///   - context: The context of the command.
  /// - Throws: The failure that the answer is, or the reason why a new session could not be stored.
  func take(
    _ response: inout StreamedResponse,
    to method: String,
    _ url: HTTPURL?,
    carrying sent: Token,
    of account: Account,
    _ context: EngineContext
  ) async throws(EngineError)

  /// Stores the session in the head of an answer that another program got, if its backend confirms it.
  ///
  /// - Parameters:
  ///   - head: The head as the other program printed it.
  ///   - origin: The origin of the answer.
  ///   - account: The account whose session the request carried.
  ///   - context: The context of the command.
  /// - Returns: A notice if the backend rejected the session.
  /// - Throws: The reason why it could not be confirmed or stored; the earlier session is then still stored.
  func observe(
    _ head: PrintedHead,
    of origin: Origin,
    for account: Account,
    _ context: EngineContext
  ) async throws(EngineError) -> Notice?
}

/// A sealed session after its renewal.
package struct RenewedSession: Sendable {
  let account: Account
  let token: Token?
  /// `true` if this process asked the backend.
  let wasDue: Bool

  package init(account: Account, token: Token?, wasDue: Bool) {
    self.account = account
    self.token = token
    self.wasDue = wasDue
  }
}
