package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A token that can be used now, with the key that it is bound to.
package struct Grant: Sendable {
  package var token: Token
  package var key: DPoPKey?
  package var expiresAt: Timestamp?
  package var notices: [Notice]
}

/// Something that the user should know although the command succeeded.
package enum Notice: Equatable, Sendable {
  /// The token is used although it is due: it could not be renewed, and is not yet past.
  case usedUnrenewed(account: AccountName, secondsLeft: Int64)
}

/// Gets the token of an account, renewed first where that is due.
package struct Granting: Sendable {
  private let world: World
  private let interaction: Interaction

  package init(_ world: World, _ interaction: Interaction) {
    self.world = world
    self.interaction = interaction
  }

  /// Returns a token that can be used now.
  ///
  /// - Parameters:
  ///   - account: Whose token.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token, and the key that it is bound to.
  /// - Throws: ``EngineError/signInRequired(account:_:)``, or why the keyring gave no answer.
  package func grant(
    to account: Account,
    leaving minimum: Int64? = nil
  ) async throws(EngineError) -> Grant {
    if case .reauthRequired(let reason) = account.standing {
      throw .signInRequired(account: account.name, .ended(reason: reason))
    }
    let contents = try await Wallet(of: account, in: world, interaction).read()
    guard let token = contents.token, account.tokenType != .dpop || contents.key != nil else {
      let reason = account.assess(.missing, at: world.clock.now()).reason ?? ""
      throw .signInRequired(account: account.name, .signedOut(reason: reason))
    }
    var account = account
    if let expiresAt = contents.expiresAt { account.lease.expiresAt = expiresAt }

    var grant = Grant(
      token: token,
      key: account.tokenType == .dpop ? contents.key : nil,
      expiresAt: account.lease.expiresAt,
      notices: []
    )
    let now = world.clock.now()
    guard account.assess(.present, at: now, leaving: minimum).state != .valid else { return grant }
    guard account.lease.canRenew, let left = account.lease.secondsLeft(at: now), left > 0 else {
      throw .signInRequired(account: account.name, .expired)
    }
    grant.notices.append(.usedUnrenewed(account: account.name, secondsLeft: left))
    return grant
  }
}
