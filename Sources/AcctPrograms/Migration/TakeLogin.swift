package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Makes an account of a login that another program keeps; in that program nothing changes.
package struct TakeLogin: Sendable {
  let context: EngineContext

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
      let credentials = try await TakeSession(context: context).credentials(of: found)
      var options = options
      if options.name == nil { options.name = try name(of: found) }
      return try await AddAccount(context, waitsToBegin: true).add(credentials, options)
    }
    let (user, secret) = try await AskProgram(context: context).secret(of: found)
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

/// Asks a program for a secret that it keeps.
struct AskProgram: Sendable {
  let context: EngineContext

  /// The secret of a login, and its user.
  ///
  /// - Throws: ``EngineError/migration(_:)``.
  func secret(of found: FoundAccount) async throws(EngineError) -> (user: String?, Secret) {
    let (host, user) = (found.login.place, found.login.user)
    switch found.login.secret {
    case .value(let secret): return (user, secret)
    case .gh(let isActive): return (user, try await gh(host, user ?? "", isActive: isActive))
    case .glab:
      let line = ["glab", "config", "get", "token", "--host", host]
      return (user, try await run("glab", line, besides: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN"]))
    case .dockerHelper(let helper):
      let program = "docker-credential-\(helper)"
      let result = try await answered(ProgramCall(program, ["get"], input: .text(host)))
      do {
        let answer = try DockerHelperAnswer(result)
        return (answer.user, answer.secret)
      } catch {
        throw .migration(.answer(program: program))
      }
    case .oidcAgent: throw .migration(.answer(program: found.program.rawValue))
    }
  }

  /// gh's token; before 2.40 it has one user at each host, and rejects the option for a name.
  private func gh(_ host: String, _ user: String, isActive: Bool) async throws(EngineError) -> Secret {
    let variables = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    let line = ["gh", "auth", "token", "--hostname", host]
    do throws(EngineError) {
      return try await run("gh", line + ["--user", user], besides: variables)
    } catch {
      guard isActive, case .refused(_, _, let words)? = error.migration, words.contains("--user") else {
        throw error
      }
      return try await run("gh", line, besides: variables)
    }
  }

  /// Runs a program without variables that would be its answer in place of what it keeps.
  private func run(_ program: String, _ line: [String], besides variables: [String]) async throws(EngineError) -> Secret
  {
    guard context.world.programs.exists(program) else {
      throw .migration(.program(.unusable(.notFound(program: program))))
    }
    return try await answered(ProgramCall("env", variables.flatMap { ["-u", $0] } + line), of: program)
  }

  /// The output of a program that ends well.
  func answered(_ call: ProgramCall, of program: String? = nil) async throws(EngineError) -> Secret {
    var call = call
    call.timeLimit = .seconds(context.timeout)
    let result: ProgramResult
    do { result = try await context.world.programs.run(call) } catch {
      if error == .cancelled { throw .cancelled }
      throw .migration(.program(error))
    }
    context.world.held.hold(result.output)
    guard result.status == 0 else {
      // Helpers of docker print their reason on standard output.
      let words = [result.errors, result.output].lazy.compactMap(\.firstWords).first ?? ""
      throw .migration(
        .refused(
          program: program ?? call.program,
          status: result.status,
          words: context.world.held.redactor.redact(words)
        )
      )
    }
    return result.output
  }
}

extension Secret {
  /// The first line that is not empty, as text for people.
  fileprivate var firstWords: String? {
    let line = shownText.split(whereSeparator: \.isNewline).first.map(String.init)
    return line?.isEmpty == false ? line : nil
  }
}

/// A login of another program, as the account that it would become.
package struct FoundAccount: Sendable {
  package var program: OtherProgram
  @Boxed package var login: FoundLogin
  /// The file that names it.
  package var path: String
  /// `true` if the user named the file: it need not be the one that the program uses.
  package var isFileNamed = false

  /// `user@place`; the program's name stands for a user that it does not have.
  ///
  /// A user that only a helper knows is left out until that is asked, and so is a token in the user's place.
  package var name: String {
    let place = login.places.first?.name ?? login.place
    if login.form == .session { return login.place }
    if case .dockerHelper = login.secret { return place }
    if case .userIsToken = login.form { return place }
    return "\(login.user.flatMap { $0.isEmpty ? nil : $0 } ?? program.rawValue)@\(place)"
  }

  /// The host that it is for; for a session, the program's own name of it.
  package var host: String { login.origins.first?.authority ?? login.place }

  /// Returns `true` if a word of the user's names it: its name, its user, its host, or the program's name of its place.
  package func isNamed(_ word: String) -> Bool { [name, login.user, host, login.place].contains(word) }
}

/// The logins of one program.
package struct FoundAccounts: Sendable {
  package var accounts: [FoundAccount] = []
  /// The entries that can't become accounts, with their file.
  package var skipped: [(path: String, login: SkippedLogin)] = []
  /// The files that other users can read.
  package var exposed: [String] = []
}

/// Takes over a session of oidc-agent: its client, and the refresh token, with which new tokens are requested at once.
struct TakeSession: Sendable {
  let context: EngineContext

  /// Asks oidc-gen, which may ask the user for the passphrase of its file, and the authorization server.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; the refresh token may then have been used.
  func credentials(of found: FoundAccount) async throws(EngineError) -> NewCredentials {
    let isAsked = context.interaction == .allowed && context.world.terminal.canAsk()
    var call = ProgramCall("oidc-gen", ["--print", found.login.place], input: isAsked ? .terminal : .nothing)
    // The person may have to look for the passphrase.
    if isAsked { call.timeLimit = .seconds(300) }
    let output = try await AskProgram(context: context).answered(call)
    let session: TakeOverSession.Session
    do { session = try OIDCAgentSession.parse(output) } catch { throw .migration(.answer(program: "oidc-gen")) }
    return try await TakeOverSession(context).credentials(of: session)
  }
}
