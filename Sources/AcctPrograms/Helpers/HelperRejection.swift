import AcctEngine
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release

/// Renews a token that a program reports as rejected, as a 401 from the server would.
///
/// The program hands the credential back. Only the account that has exactly this token is affected: an old token that
/// has been renewed since, or a password from elsewhere, changes nothing.
struct HelperRejection {
  private let context: EngineContext
  private let purpose: TokenPurpose?

  /// Seconds after a renewal, or after the start of an unanswered one, in which nothing is renewed: a server that
  /// rejects such a new token finds a permission missing, and each renewal uses up a refresh token.
  private static let pause: Int64 = 60

  /// - Parameters:
  ///   - context: Everything outside.
  ///   - purpose: The purpose of the token, if it differs from the account's own.
  init(_ context: EngineContext, for purpose: TokenPurpose?) {
    self.context = context
    self.purpose = purpose
  }

  /// Renews the rejected token.
  ///
  /// - Parameters:
  ///   - target: The server.
  ///   - given: The credential that the program had sent.
  ///   - reference: The account that the user named with the command.
  /// - Returns: Notices about the renewal.
  /// - Throws: ``NoCredential``: the token can't be renewed, or the keyring can't be read.
  func renew(_ target: HelperTarget, _ given: Secret, as reference: String?) async throws(NoCredential) -> [Notice] {
    context.world.held.hold(given)
    do throws(EngineError) {
      guard let own = try await own(target, given, reference) else { return [] }
      if own.account.keepsRejection, own.purpose == nil {
        let rejection = Rejection(by: own.origin, at: context.world.clock.now())
        try await TokenVerdict(context).record(rejection, on: own.token, of: own.account)
      }
      // It can't be renewed: the message names the command that stores a new one.
      if let replacement = own.account.replacement { throw .signIn(.tokenRejected(replacement, own.origin)) }
      let now = context.world.clock.now()
      guard !own.account.wasRenewed(within: Self.pause, at: now) else { return [] }
      guard let purpose = own.purpose else {
        return try await Renewal(context).renew(own.account, because: .refused(own.token)).credentials.notices
      }
      return try await Renewal(context).secondToken(for: purpose, of: own.account, because: .refused(own.token)).notices
    } catch {
      throw .failed(error)
    }
  }

  /// A credential, with its account.
  private struct Own {
    var account: Account
    var token: Token
    /// The purpose of the token, if it differs from the account's own.
    var purpose: TokenPurpose?
    var origin: Origin
  }

  /// Finds the account of the credential.
  ///
  /// An account that can't be read hides no other: it is an error only if the credential is none of the others'.
  private func own(_ target: HelperTarget, _ given: Secret, _ reference: String?) async throws(EngineError) -> Own? {
    let finder = HelperAccount(for: target, in: context) { $0.isPassword }
    let accounts =
      if let reference {
        [try await Selection(context).find(reference)]
      } else {
        try context.accountStore.listing().accounts
      }
    var failure: EngineError?
    for account in accounts {
      guard let url = finder.ownURL(of: account), account.credentialForm.isPassword else { continue }
      do throws(EngineError) {
        let purpose: TokenPurpose?
        do { purpose = try account.purpose(for: url, self.purpose) } catch { throw .authorization(error) }
        if let token = try await token(of: account, for: purpose), token.opened(for: .comparison) == given {
          return Own(account: account, token: token, purpose: purpose, origin: url.origin)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return nil
  }

  /// The token of an account that the program gets.
  private func token(of account: Account, for purpose: TokenPurpose?) async throws(EngineError) -> Token? {
    guard let purpose else { return try await CredentialStore.readWhole(of: account, in: context).token }
    guard account.canHaveSecondTokens else { return nil }
    return try await CredentialStore(of: account, in: context).secondTokens()[purpose]?.token
  }
}

extension Account {
  /// Returns `true` if a server confirmed its session, or was asked to renew it, less than so many seconds ago.
  fileprivate func wasRenewed(within seconds: Int64, at now: Timestamp) -> Bool {
    [validatedAt, renewalStartedAt].compactMap(\.self).contains { time in
      (0..<seconds).contains(now.seconds(since: time))
    }
  }
}
