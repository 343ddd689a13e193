import AcctModel
import AcctProtocol

/// Keeps passwords for a program that has no place of its own for them: each is a static account, sent as
/// the password of its user.
///
/// What is kept is known by its form: Basic, and its own origins are just those of the server. So
/// `acct add --token` makes the same account, and a token that goes to other servers, too, is another one,
/// which a program neither replaces nor deletes.
struct KeepForProgram {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Keeps a password, in place of one that is kept for the same server.
  ///
  /// - Parameters:
  ///   - secret: The password.
  ///   - user: Whose.
  ///   - target: The server.
  ///   - reference: The name of the account; others for the server stay then.
  /// - Throws: ``NoCredential/failed(_:)``.
  func keep(
    _ secret: Secret,
    of user: String,
    for target: HelperTarget,
    as reference: String?
  ) async throws(NoCredential) {
    do { try await keep(secret, user, target.urls.map(\.origin), reference) } catch {
      throw .failed(error)
    }
  }

  private func keep(
    _ secret: Secret,
    _ user: String,
    _ origins: [Origin],
    _ reference: String?
  ) async throws(EngineError) {
    let sentAs: StaticHeader
    do { sentAs = try StaticHeader(field: "Authorization", form: .basic(user: user)) } catch {
      throw .input(.staticToken(.header(error)))
    }
    let credentials = try AddStaticToken(context).credentials(secret, sentAs, origins)
    let known = reference == nil ? try kept(for: origins) : []
    var name = known.first { $0.sentAs == sentAs }?.name
    if let reference {
      do { name = try AccountName(reference) } catch { throw .input(.malformed(error)) }
    }
    // A program's login does not change which account the user's commands are for.
    let options = AddAccount.Options(name: name, activates: false, allowedOrigins: [])
    let added = try await AddAccount(context).add(credentials, options)
    for account in known where account.id != added.account.id {
      _ = try await ChangeAccounts(context).remove(account, revoking: false)
    }
  }

  /// Deletes what is kept for a server; nothing else.
  ///
  /// - Throws: ``NoCredential/nothingKept(_:)``, ``NoCredential/failed(_:)``.
  func forget(_ target: HelperTarget, as reference: String?) async throws(NoCredential) {
    let origins = target.urls.map(\.origin)
    let isKept: Bool
    do { isKept = try await removed(origins, reference) } catch { throw .failed(error) }
    guard !isKept else { return }
    // A logout ends no sign-in, and the user may have expected that.
    let others: [Account]
    do { others = try context.accountStore.listing().accounts } catch { throw .failed(error) }
    let other = others.first { account in origins.contains { account.origins.contains($0) } }
    if let other { throw .notKept(other.name) }
    throw .nothingKept(origins)
  }

  /// - Returns: Whether there was anything.
  private func removed(
    _ origins: [Origin],
    _ reference: String?
  ) async throws(EngineError) -> Bool {
    var known = try kept(for: origins)
    if let reference {
      let named = try Selection(context.world).find(reference)
      known.removeAll { $0.id != named.id }
    }
    for account in known { _ = try await ChangeAccounts(context).remove(account, revoking: false) }
    return !known.isEmpty
  }

  /// What is kept, by server.
  ///
  /// Only passwords are named, and no token of a sign-in: docker hands all that is listed to each build.
  ///
  /// - Throws: ``NoCredential/failed(_:)``.
  func list() throws(NoCredential) -> [HelperListing] {
    let accounts: [Account]
    do { accounts = try context.accountStore.listing().accounts } catch { throw .failed(error) }
    return accounts.compactMap { account in
      guard case .basic(let user) = account.credentialForm else { return nil }
      return HelperListing(Array(account.origins), user: user)
    }
  }

  private func kept(for origins: [Origin]) throws(EngineError) -> [Account] {
    try context.accountStore.listing().accounts.filter { account in
      guard case .basic = account.credentialForm else { return false }
      let own = account.origins.filter { account.origins.reasons(for: $0).contains(.signIn) }
      return Set(own) == Set(origins)
    }
  }
}
