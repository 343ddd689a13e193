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

/// Gets the token of an account, renewed first where that is due.
package struct Granting: Sendable {
  private let world: World
  private let interaction: Interaction
  private let network: Network

  /// Whether a renewal may be tried, and how many seconds a request may take.
  package enum Network: Sendable {
    case allowed(timeout: Int)
    case forbidden
  }

  package init(_ world: World, _ interaction: Interaction, _ network: Network) {
    self.world = world
    self.interaction = interaction
    self.network = network
  }

  /// Returns a token that can be used now.
  ///
  /// - Parameters:
  ///   - account: Whose token.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token, and the key that it is bound to.
  /// - Throws: ``EngineError/signInRequired(account:_:)``, why the keyring gave no answer, or why
  ///   a token that is past could not be renewed.
  package func grant(
    to account: Account,
    leaving minimum: Int64? = nil
  ) async throws(EngineError) -> Grant {
    let held = try await holding(account)
    let state = held.account.lease.state(at: world.clock.now(), leaving: minimum)
    switch (state, network) {
    case (.valid, _): return held.grant
    case (.expiring, .forbidden): return try unrenewed(held, .offline)
    case (.expiring, .allowed(let timeout)):
      do throws(EngineError) {
        try await Renewal(world, interaction, timeout: timeout)(account) { current in
          current.lease.state(at: world.clock.now(), leaving: minimum) != .valid
        }
      } catch .signInRequired(let account, let reason) {
        throw .signInRequired(account: account, reason)
      } catch {
        return try unrenewed(held, error)
      }
      // What has just been obtained is used as it is, however short its life.
      return try await holding(account).grant
    default: throw .signInRequired(account: account.name, .expired)
    }
  }

  private struct Held {
    var account: Account
    var grant: Grant
  }

  /// What the keyring holds now.
  private func holding(_ account: Account) async throws(EngineError) -> Held {
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
    let grant = Grant(
      token: token,
      key: account.tokenType == .dpop ? contents.key : nil,
      expiresAt: account.lease.expiresAt,
      notices: account.sessionWarning(at: world.clock.now()).map { [$0] } ?? []
    )
    return Held(account: account, grant: grant)
  }

  /// A token that is due and could not be renewed: good for as long as it is not past.
  private func unrenewed(_ held: Held, _ obstacle: EngineError) throws(EngineError) -> Grant {
    guard let left = held.account.lease.secondsLeft(at: world.clock.now()), left > 0 else {
      throw obstacle == .offline ? .signInRequired(account: held.account.name, .expired) : obstacle
    }
    var grant = held.grant
    grant.notices.append(
      .usedUnrenewed(account: held.account.name, secondsLeft: left, because: obstacle)
    )
    return grant
  }
}

extension Account {
  /// In the last two days of a session that renewing does not extend: sign in again, and by when.
  package func sessionWarning(at now: Timestamp) -> Notice? {
    guard let left = sessionEndsAt?.seconds(since: now), (1...2 * 86_400).contains(left) else {
      return nil
    }
    return .sessionEnds(account: name, inSeconds: left)
  }
}
