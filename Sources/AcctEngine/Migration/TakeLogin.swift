import AcctModel
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
    var credentials = try AddStaticToken(context).credentials(
      taken: secret,
      try sentAs(found),
      found.login.origins.map { Place($0) }
    )
    credentials.userName = user.flatMap { $0.isEmpty ? nil : $0 } ?? found.program.rawValue
    var options = options
    if options.name == nil { options.name = try known(credentials) }
    if options.name == nil { try requireUnused(credentials) }
    return try await AddAccount(context).add(credentials, options)
  }

  private func sentAs(_ found: FoundAccount) throws(EngineError) -> StaticHeader {
    switch found.login.form {
    case .bearer, .session: return .bearer
    case .bare, .password:
      do throws(StaticHeaderFlaw) {
        let form: StaticHeader.Form = found.login.form == .bare ? .bare : .basic(user: found.login.user ?? "")
        return try StaticHeader(field: "Authorization", form: form)
      } catch {
        throw .input(.staticToken(.header(error)))
      }
    }
  }

  /// The name of the account that has this login already: the same form, user and origin.
  private func known(_ credentials: NewCredentials) throws(EngineError) -> AccountName? {
    try context.accountStore.listing().accounts.first { account in
      account.kind == .static && account.keptFor == nil && account.sentAs == credentials.sentAs
        && (hasUser(account.sentAs) || account.displayName == credentials.userName || isNamed(account, credentials))
        && credentials.origins.first.map { !account.origins.reasons(for: $0).isEmpty } ?? false
    }?.name
  }

  private func isNamed(_ account: Account, _ credentials: NewCredentials) -> Bool {
    account.displayName == nil && account.name.description == credentials.suggestedName
  }

  /// `true` if the form itself names the user.
  private func hasUser(_ sentAs: StaticHeader?) -> Bool {
    if case .basic? = sentAs?.form { true } else { false }
  }

  /// Checks that the login replaces no other token: an account is found by its name, too, and the user did not type this one.
  private func requireUnused(_ credentials: NewCredentials) throws(EngineError) {
    let name = credentials.suggestedName
    let other = try context.accountStore.listing().accounts.first { $0.name.description == name }
    if let other, other.kind != .static || other.sentAs == credentials.sentAs {
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
