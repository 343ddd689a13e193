import AcctEngine
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

/// Stores passwords for a program that has no storage of its own: each is a static account, sent as the password of
/// its user, or as a bearer token where the program has no user.
///
/// A login is noted in its account. A password whose origins are exactly those of the server counts as one for the
/// next login and for a logout, so `acct add --token` makes the same account; but only a login is listed. A user's
/// token that may go to other servers, too, also by `acct allow`, is another one, which a program neither replaces nor
/// deletes.
struct StoreFromHelper {
  let context: EngineContext
  let keeper: Account.KeepingProgram

  /// Stores a password, in place of one that is stored for the same server.
  ///
  /// - Parameters:
  ///   - secret: The password.
  ///   - user: The user of the password; `nil` for a bearer token.
  ///   - target: The server.
  ///   - reference: The name of the account; others for the server are then kept.
  /// - Throws: ``EngineError``; ``SelectionError/nameTaken(_:)`` if the named account is not one of them.
  func keep(
    _ secret: Secret,
    of user: String?,
    for target: HelperTarget,
    as reference: String?
  ) async throws(EngineError) {
    let places = target.places
    let sentAs: StaticHeader
    do {
      sentAs = if let user { try StaticHeader(field: "Authorization", form: .basic(user: user)) } else { .bearer }
    } catch {
      throw .input(.staticToken(.header(error)))
    }
    let credentials = try AddStaticToken(context).login(secret, sentAs, places, of: keeper)
    let known = try kept(for: places)
    let name: AccountName
    if let reference {
      name = try await self.name(of: reference, among: known)
    } else if let same = known.first(where: { $0.sentAs == credentials.sentAs }) {
      name = same.name
    } else {
      let server = places.first?.name ?? ""
      let suggested = user == nil ? "\(keeper.rawValue)@\(server)" : credentials.suggestedName
      // Without a name, a static token replaces that of the account with the suggested name.
      name = try context.accountStore.freeName(like: suggested, context.world.entropy)
    }
    // A program's login does not change the account that the user's commands are for.
    let options = AddAccount.Options(name: name, activates: false, allowedOrigins: [])
    let added = try await AddAccount(context).add(credentials, options)
    guard reference == nil else { return }
    for account in known where account.id != added.account.id {
      try await ChangeAccounts(context).remove(account, revoking: false)
    }
  }

  /// The name for a password: of an existing account for the server, or of a new one.
  private func name(of reference: String, among known: [Account]) async throws(EngineError) -> AccountName {
    var named: Account?
    do throws(EngineError) {
      named = try await Selection(context).find(reference)
    } catch .selection(.noAccounts) {
    } catch .selection(.unknown) {}
    guard let named else {
      do { return try AccountName(reference) } catch { throw .input(.malformed(error)) }
    }
    guard known.contains(where: { $0.id == named.id }) else { throw .selection(.nameTaken(named.name)) }
    return named.name
  }

  /// Deletes the passwords stored for a server; nothing else.
  ///
  /// - Throws: ``NoCredential/nothingKept(_:)``, ``NoCredential/failed(_:)``.
  func forget(_ target: HelperTarget, as reference: String?) async throws(NoCredential) {
    let origins = target.urls.map(\.origin)
    let other: Account?
    do {
      guard try await !removed(target.places, reference) else { return }
      // A logout ends no sign-in, and the user may have expected that.
      other = try context.accountStore.listing().accounts.first { account in
        origins.contains { account.origins.contains($0) }
      }
    } catch { throw .failed(error) }
    if let other { throw .notKept(other.name) }
    throw .nothingKept(origins)
  }

  /// - Returns: `true` if there was one.
  private func removed(_ places: [Place], _ reference: String?) async throws(EngineError) -> Bool {
    var known = try kept(for: places)
    if let reference {
      let named = try await Selection(context).find(reference)
      known.removeAll { $0.id != named.id }
    }
    for account in known { try await ChangeAccounts(context).remove(account, revoking: false) }
    return !known.isEmpty
  }

  /// Lists the accounts that logins stored, by server.
  ///
  /// No other password is listed, and no token of a sign-in: docker passes all that is listed to each build.
  func list() throws(EngineError) -> [HelperListing] {
    try context.accountStore.listing().accounts.compactMap { account in
      guard account.keptFor == keeper else { return nil }
      switch account.credentialForm {
      case .basic(let user): return HelperListing(places: account.loginPlaces, user: user)
      // A token in the user's place, which no list shows.
      case .userIsToken: return HelperListing(places: account.loginPlaces, user: "")
      case .scheme, .bare, .query, .guest, .cookie, .bound: return nil
      }
    }
  }

  private func kept(for places: [Place]) throws(EngineError) -> [Account] {
    try context.accountStore.listing().accounts.filter { account in
      // A bearer token that the user added is none of a program's.
      guard case .basic = account.credentialForm else {
        return account.keptFor == keeper && Set(account.loginPlaces) == Set(places)
      }
      guard keeper == .docker else { return false }
      let own = account.keptFor == nil ? account.origins.places : account.loginPlaces
      return Set(own) == Set(places)
    }
  }
}

extension Account {
  /// The places of the server that a login is for, without those that were allowed since.
  fileprivate var loginPlaces: [Place] {
    origins.places.filter { origins.reasons(for: $0.origin).contains(.signIn) }
  }
}
