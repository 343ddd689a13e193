package import AcctEngine
package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release

/// The backends of apps, with the desktop's way to open their addresses.
package final class Backends: Sendable {
  /// The desktop's handlers of apps' schemes.
  let schemes: SchemeHandler

  package init(_ schemes: SchemeHandler) { self.schemes = schemes }
}

extension EngineContext {
  /// The desktop's handlers of apps' schemes; none for a context that was made without.
  var schemes: SchemeHandler { (backends as? Backends)?.schemes ?? .none }
}

extension Account {
  /// The backend that issued its credentials.
  var backend: Origin? { source?.backend ?? service }
}

/// The answers to the core, which knows no backend.
extension Backends: AppBackends {
  package func renew(
    _ account: Account,
    because reason: RenewalReason,
    _ context: EngineContext
  ) async throws(EngineError) -> RenewedSession {
    try await SessionRenewal(context).renew(account, because: reason)
  }

  package func end(
    _ session: Token,
    of account: Account,
    _ context: EngineContext
  ) async throws(EngineError) -> Int? {
    try await SessionBackend(of: account, context)?.logOut(session)
  }

  package func companion(_ context: EngineContext) async throws(EngineError) -> HeaderField {
    try await DeviceID(context.world).field()
  }

  package func discard(_ guest: Account, _ context: EngineContext) async throws(EngineError) {
    try await GuestTokenEnd(context).past(guest)
  }

  package func take(
    _ response: inout StreamedResponse,
    to method: String,
    _ url: HTTPURL?,
    carrying sent: Token,
    of account: Account,
    _ context: EngineContext
  ) async throws(EngineError) {
    guard let url, url.origin == account.service else { return }
    switch account.kind {
    case .session:
      try await RotatedSession(context).keep(from: &response, to: method, url, insteadOf: sent, for: account)
    case .guest: try await GuestTokenEnd(context).meet(&response, from: url.origin, for: account)
    case .oauth, .static: break
    }
  }

  package func observe(
    _ head: PrintedHead,
    of origin: Origin,
    for account: Account,
    _ context: EngineContext
  ) async throws(EngineError) -> Notice? {
    try await ObservedSession(context).keep(from: head, of: origin, for: account)
  }
}

/// Parses what the user typed, or what was kept of that.
///
/// - Throws: ``InputError/malformed(_:)``.
func parsed<Value>(_ parse: () throws(ParseError) -> Value) throws(EngineError) -> Value {
  do { return try parse() } catch { throw .input(.malformed(error)) }
}
