import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import StrictJSON

/// Discards a guest's token that has expired, or that its server rejected.
///
/// The token has no further use: it can't be renewed, and a new one does not bring new limits. The
/// account stays, so that `add --guest` of the same backend renews it.
struct GuestTokenEnd: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Records that the server answered 401 to a guest's token.
  ///
  /// - Parameter account: The account as it was when the request was made.
  /// - Returns: The error to report; `nil` if another token has replaced it meanwhile.
  /// - Throws: ``EngineError``; the token may then still be there.
  func refused(_ account: Account) async throws(EngineError) -> EngineError? {
    let reason = StateReason.rejected.text
    guard try await discard(account, reason) else { return nil }
    return account.stateError(Assessment(.expired, reason: reason, .discard))
  }

  /// Handles an answer by a guest's backend, and throws the failures that only a guest can have.
  func meet(_ response: inout StreamedResponse, from origin: Origin, for account: Account) async throws(EngineError) {
    switch response.head.status {
    case 401: if let end = try await refused(account) { throw end }
    case 400:
      guard await response.fault(redacting: context.world.held.redactor).namesDeviceID else { return }
      throw .guest(.requestLacksDeviceID(origin))
    default: return
    }
  }

  /// Discards a token that has expired.
  func past(_ account: Account) async throws(EngineError) {
    _ = try await discard(account, StateReason.lifetimeEnded.text)
  }

  /// Discards the token; it is deleted first, so that nothing is left that could be sent if the rest fails.
  private func discard(_ account: Account, _ reason: String) async throws(EngineError) -> Bool {
    guard account.kind == .guest else { return false }
    do {
      return try await context.withExclusiveAccess(to: account) {
        (current, credentialStore) throws(EngineError) in
        var current = current
        // `add --guest` may have obtained a new token meanwhile.
        guard current.tokenLifetime == account.tokenLifetime, current.validatedAt == account.validatedAt,
          current.take(.guestSpent, reason: reason, at: context.world.clock.now()) == .discard
        else { return false }
        let held = context.world.signals.holdBack()
        defer { held.release() }
        try await credentialStore.remove([.guest])
        try credentialStore.save(current)
        return true
      }
    } catch .selection(.unknown) {
      return false
    }
  }
}

extension StreamedResponse {
  /// A backend's statement about a request that it did not fulfil; the part that is read is returned again.
  fileprivate mutating func fault(redacting redactor: Redactor) async -> BackendFault {
    guard isJSON else { return BackendFault(nil, redacting: redactor) }
    return BackendFault(try? JSON(parsing: await peek()), redacting: redactor)
  }
}
