package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Makes an account of a login that another program keeps; in that program nothing changes.
package struct TakeLogin: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Asks the program for the secret if its file does not have it, and stores the account.
  ///
  /// The account that has the login is renewed, whatever its name is.
  ///
  /// - Parameters:
  ///   - found: The login.
  ///   - options: The name that the user gave, and what else holds for a new account.
  /// - Returns: The stored account.
  /// - Throws: ``EngineError``; then nothing is stored.
  package func take(_ found: FoundAccount, _ options: AddAccount.Options) async throws(EngineError) -> AddAccount.Added
  {
    if found.login.form == .session {
      let credentials = try await TakeSession(context).credentials(of: found)
      var options = options
      if options.name == nil { options.name = try name(of: found) }
      return try await AddAccount(context, waitsToBegin: true).add(credentials, options)
    }
    let (user, secret) = try await AskProgram(context).secret(of: found)
    var found = found
    found.login.user = user
    var credentials = try AddStaticToken(context).credentials(taken: secret, try sentAs(found), found.login.places)
    // A user that a helper names may be a token.
    credentials.userName = userName(of: found, credentials.sentAs)
    var options = options
    let login = KnownLogin(
      sentAs: credentials.sentAs,
      user: credentials.userName,
      place: found.login.places.first,
      name: credentials.suggestedName
    )
    if options.name == nil { options.name = try known(login) }
    if options.name == nil { try requireUnused(login) }
    return try await AddAccount(context).add(credentials, options)
  }

  private func sentAs(_ found: FoundAccount) throws(EngineError) -> StaticHeader {
    switch found.login.form {
    case .bearer, .session: return .bearer
    case .bare: return try header(.bare)
    case .password: return try header(.basic(user: found.login.user ?? ""))
    case .userIsToken(let password): return try header(.userIsToken(password: password))
    }
  }

  private func header(_ form: StaticHeader.Form) throws(EngineError) -> StaticHeader {
    do { return try StaticHeader(field: "Authorization", form: form) } catch {
      throw .input(.staticToken(.header(error)))
    }
  }

  /// The account to which ``take(_:_:)`` would give a login; no program is asked, so the user of a session is not known.
  ///
  /// - Returns: The account; `nil` if one would be added.
  /// - Throws: ``InputError/staticToken(_:)`` or ``SelectionError/nameTaken(_:)`` if neither can be.
  package func plan(_ found: FoundAccount, _ options: AddAccount.Options) throws(EngineError) -> Account? {
    let isSession = found.login.form == .session
    var name = options.name
    if name == nil {
      guard !isSession else { return nil }
      let sentAs = try sentAs(found)
      let login = KnownLogin(
        sentAs: sentAs,
        user: userName(of: found, sentAs),
        place: found.login.places.first,
        name: found.name
      )
      name = try known(login)
      if name == nil { try requireUnused(login) }
    }
    guard let name, let known = try context.accountStore.listing().accounts.first(where: { $0.name == name }) else {
      return nil
    }
    guard known.kind == (isSession ? .oauth : .static) else { throw .selection(.nameTaken(name)) }
    if !isSession, options.replacement == .unlessNewer { try known.requireOrigins(found.login.places) }
    return known
  }

  /// The user as people know it, the program's name without one; `nil` if the user is the token.
  private func userName(of found: FoundAccount, _ sentAs: StaticHeader?) -> String? {
    if case .userIsToken? = sentAs?.form { return nil }
    return found.login.user.flatMap { $0.isEmpty ? nil : $0 } ?? found.program.rawValue
  }

  /// The facts by which an account is found.
  private struct KnownLogin {
    var sentAs: StaticHeader?
    var user: String?
    var place: Place?
    /// The name that it would get.
    var name: String
  }

  /// The name of the account that has this login already: the same form, user and place.
  private func known(_ login: KnownLogin) throws(EngineError) -> AccountName? {
    try context.accountStore.listing().accounts.first { account in
      let isUsers =
        hasUser(account.sentAs) || login.user != nil && account.displayName == login.user
        || account.displayName == nil && account.name.description == login.name
      return account.kind == .static && account.keptFor == nil && account.sentAs == login.sentAs && isUsers
        && login.place.map(account.origins.places.contains) ?? false
    }?.name
  }

  /// `true` if the form itself names the user.
  private func hasUser(_ sentAs: StaticHeader?) -> Bool {
    if case .basic? = sentAs?.form { true } else { false }
  }

  /// Checks that the login replaces no other token: an account is found by its name, too, and the user did not type this one.
  private func requireUnused(_ login: KnownLogin) throws(EngineError) {
    let other = try context.accountStore.listing().accounts.first { $0.name.description == login.name }
    if let other, other.kind != .static || other.sentAs == login.sentAs {
      throw .input(.staticToken(.nameTaken(other.name)))
    }
  }

  /// The account keeps the name that it has in the other program, if that is free.
  private func name(of found: FoundAccount) throws(EngineError) -> AccountName? {
    guard let name = try? AccountName(found.name) else { return nil }
    let isTaken = try context.accountStore.listing().accounts.contains { $0.name == name }
    return isTaken ? nil : name
  }
}
