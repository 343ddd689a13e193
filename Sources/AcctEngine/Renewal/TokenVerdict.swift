package import AcctModel
import AcctPorts
package import Release

extension Account {
  /// The account for a request, which may find that a rejected token is accepted after all.
  package var tried: Account {
    guard recordedState.rejection != nil else { return self }
    var account = self
    account.noteAcceptance()
    return account
  }

  /// `true` if a 401 ends its token until a person signs in: nothing renews it, and no new session begins by itself.
  package var keepsRejection: Bool { !canRenew && kind != .guest }
}

/// Stores a server's verdict on a token that can't be renewed.
package struct TokenVerdict {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Stores the verdict, unless another token has replaced this one meanwhile.
  ///
  /// - Parameters:
  ///   - rejection: The rejection; `nil` if the token was accepted.
  ///   - token: The token that was sent.
  ///   - account: The account as it was then.
  /// - Throws: ``EngineError``: files or keyring fail.
  package func record(_ rejection: Rejection?, on token: Token, of account: Account) async throws(EngineError) {
    do {
      try await context.withExclusiveAccess(to: account) { (current, credentialStore) throws(EngineError) in
        guard try await credentialStore.read().token == token else { return }
        var current = current
        if let rejection { current.note(rejection) } else { current.noteAcceptance() }
        if current != credentialStore.account { try credentialStore.save(current) }
      }
    } catch .selection(.unknown) {
      // Removed meanwhile.
    }
  }
}
