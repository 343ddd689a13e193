import AcctModel
import AcctPorts
import AcctProtocol

/// Renews a token that a program reports as rejected, as a 401 from the server would.
///
/// The program hands the credential back. Only the account that has this very token is concerned: an old
/// token that has been renewed since, or a password from elsewhere, changes nothing.
struct RejectedByProgram {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Renews what was rejected.
  ///
  /// - Parameters:
  ///   - target: The server.
  ///   - given: What the program had sent.
  ///   - reference: The account that the user named with the command.
  /// - Returns: What the user should know of the renewal.
  /// - Throws: ``NoCredential``: the token can't be renewed, or the keyring can't be read.
  func renew(
    _ target: HelperTarget,
    _ given: Secret,
    as reference: String?
  ) async throws(NoCredential) -> [Notice] {
    context.world.held.hold(given)
    do throws(EngineError) {
      guard let own = try await own(target, given, reference) else { return [] }
      // It can't be renewed: the user hears at once which command stores a new one.
      if let replacement = own.account.replacement {
        throw .request(.tokenRejected(replacement, own.origin))
      }
      return try await Renewal(context).renew(own.account, because: .refused(own.token))
        .credentials.notices
    } catch {
      throw .failed(error)
    }
  }

  /// The account that the credential is of.
  private func own(
    _ target: HelperTarget,
    _ given: Secret,
    _ reference: String?
  ) async throws(EngineError) -> (account: Account, token: Token, origin: Origin)? {
    let finder = ProgramsAccount(for: target, in: context) { $0.isPassword }
    let accounts =
      if let reference {
        [try Selection(context.world).find(reference)]
      } else {
        try context.accountStore.listing().accounts
      }
    for account in accounts {
      guard let url = finder.ownURL(of: account), account.credentialForm.isPassword else {
        continue
      }
      let credentials = try await CredentialStore.readWhole(of: account, in: context)
      if let token = credentials.token, token.secret == given {
        return (account, token, url.origin)
      }
    }
    return nil
  }
}
