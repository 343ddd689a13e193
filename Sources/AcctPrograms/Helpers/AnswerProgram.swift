package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol
package import Release
import Secrets

/// Carries out a program's request in its credential protocol, and returns the answer in that protocol.
///
/// It never asks a person: no protocol allows for a prompt, and a program that waits for one seems to hang.
package struct AnswerProgram: Sendable {
  let context: EngineContext
  private let purpose: TokenPurpose?
  /// The account whose credential the program gets, or would get.
  package let chosen = ChosenAccount()

  /// - Parameters:
  ///   - context: Everything outside; no prompt is shown whatever it allows.
  ///   - purpose: The purpose of the token, if it differs from the account's own.
  package init(_ context: EngineContext, for purpose: TokenPurpose? = nil) {
    var context = context
    context.interaction = .forbidden
    self.context = context
    self.purpose = purpose
  }

  /// The answer, and the messages to people.
  package struct Outcome: Sendable {
    package var answer: HelperAnswer
    /// Why there is no credential.
    package var reason: NoCredential?
    package var notices: [Notice] = []
    /// `.acct` files that were ignored.
    package var ignored: [DirectoryFile] = []
  }

  /// Carries out the task of a program.
  ///
  /// - Parameters:
  ///   - program: The program's request.
  ///   - reference: The account that the user named with the command.
  /// - Returns: The answer; without a credential, the protocol's answer for that, and the reason.
  package func answer(_ program: some HelperProtocol, as reference: String?) async -> Outcome {
    let store = StoreFromHelper(context: context, keeper: type(of: program).keeper ?? .docker)
    do throws(NoCredential) {
      switch program.task {
      case .get(let target): return try await credential(for: target, program, reference)
      case .identity: return try await identity(program, reference)
      case .assume(let request): return try await role(request, program, reference)
      case .reject(let target, let given):
        let rejection = HelperRejection(context: context, purpose: purpose)
        let notices = try await rejection.renew(target, given, as: reference)
        return Outcome(answer: program.done, notices: notices)
      case .confirm(let target, let given):
        await HelperRejection(context: context, purpose: purpose).clear(target, given, as: reference)
        return Outcome(answer: program.done)
      case .store(let target, let user, let secret):
        do { try await store.keep(secret, of: user, for: target, as: reference) } catch { throw .failed(error) }
        return Outcome(answer: program.done)
      case .forget(let target):
        do throws(NoCredential) {
          try await store.forget(target, as: reference)
        } catch {
          // Then there is nothing to delete, and programs treat any error as a failure.
          guard error.meansNothingKept else { throw error }
          return Outcome(answer: program.done, reason: error)
        }
        return Outcome(answer: program.done)
      case .list: do { return Outcome(answer: program.answer(try store.list())) } catch { throw .failed(error) }
      case .answered(let answer): return Outcome(answer: answer)
      case .unusable(nil): throw .otherProtocol
      case .unusable(let error?): throw .unusable(error)
      case .unverified: throw .unverified
      }
    } catch {
      let isShown = type(of: program).showsFailures && !error.isUsual
      return Outcome(answer: isShown ? HelperAnswer(isSuccess: false) : program.none, reason: error)
    }
  }

  private func credential(
    for target: HelperTarget,
    _ program: some HelperProtocol,
    _ reference: String?
  ) async throws(NoCredential) -> Outcome {
    // An ID token goes to a server that is named, whichever account has it.
    guard !program.wantsIDToken || !target.urls.isEmpty else { throw .noCluster }
    let finder = HelperAccount(
      target: target,
      context: context,
      reach: program.reach,
      keeper: type(of: program).keeper,
      accepts: program.accepts
    )
    let found = try await finder.find(reference)
    chosen.name = found.account.name
    if program.wantsIDToken {
      // It is good wherever its client is trusted, so it goes to a server that the program names.
      guard let url = found.url else { throw .noCluster }
      return try await idToken(of: found.account, for: url, program, ignored: found.ignored)
    }
    let authorization: Authorize.Authorization
    do {
      authorization = try await Authorize(context, .allowed)
        .authorize(Authorize.Target(url: found.url), as: found.account, for: purpose)
    } catch {
      throw .failed(error)
    }
    let credential = HelperCredential(
      found.url,
      below: found.url.flatMap { found.account.origins.nearestPlace(to: $0)?.path } ?? "",
      fields: authorization.released.openedFields,
      token: authorization.released.openedToken,
      form: found.account.credentialForm,
      expiresAt: authorization.expiresAt,
      now: context.world.clock.now()
    )
    return Outcome(
      answer: try answer(program, credential),
      notices: authorization.notices,
      ignored: found.ignored
    )
  }

  /// The credential in the program's words.
  private func answer(
    _ program: some HelperProtocol,
    _ credential: HelperCredential
  ) throws(NoCredential) -> HelperAnswer {
    do { return try program.answer(credential) } catch { throw .failed(EngineError(error)) }
  }

  /// The ID token of an account that the user named for the program, by an option or a variable.
  private func identity(
    _ program: some HelperProtocol,
    _ reference: String?
  ) async throws(NoCredential) -> Outcome {
    guard let name = reference ?? context.world.environment.variable("ACCT_ACCOUNT") else { throw .noAddress }
    let account: Account
    do { account = try await Selection(context).find(name) } catch { throw .failed(error) }
    chosen.name = account.name
    return try await idToken(of: account, for: nil, program, ignored: [])
  }

  private func idToken(
    of account: Account,
    for url: HTTPURL?,
    _ program: some HelperProtocol,
    ignored: [DirectoryFile]
  ) async throws(NoCredential) -> Outcome {
    let grant: AccessGrant
    let released: Released
    do throws(EngineError) {
      let permit: Permit
      do { permit = try account.permit(handingOverFor: url, idToken: true) } catch { throw .authorization(error) }
      grant = try await TokenProvider(context, .allowed).grant(to: account, under: permit)
      released = try permit.release(grant)
      await UseLog(context).note(account, at: url?.origin)
    } catch { throw .failed(error) }
    let credential = HelperCredential(
      url,
      fields: released.openedFields,
      token: released.openedToken,
      form: .scheme("Bearer"),
      expiresAt: grant.expiresAt,
      now: context.world.clock.now()
    )
    return Outcome(answer: try answer(program, credential), notices: grant.notices, ignored: ignored)
  }

  /// The keys of a role, for an account whose origin the service is.
  func role(
    _ request: RoleRequest,
    _ program: some HelperProtocol,
    _ reference: String?
  ) async throws(NoCredential) -> Outcome {
    let finder = HelperAccount(target: HelperTarget(request.endpoint), context: context, accepts: program.accepts)
    let found = try await finder.find(reference)
    chosen.name = found.account.name
    do throws(EngineError) {
      let (keys, notices) = try await AssumeRole(context: context, request: request).keys(of: found.account)
      return Outcome(
        answer: HelperAnswer(try .whole { () throws(OutputFlaw) in try keys.answer() }),
        notices: notices,
        ignored: found.ignored
      )
    } catch {
      throw .failed(error)
    }
  }
}

/// Renews a token that a program reports as rejected, as a 401 from the server would, or notes that it was.
///
/// The program hands the credential back. Only the account that has exactly this token is affected: an old token that
/// has been renewed since, or a password from elsewhere, changes nothing.
struct HelperRejection {
  let context: EngineContext
  /// The purpose of the token, if it differs from the account's own.
  let purpose: TokenPurpose?

  /// Seconds after a renewal, or after the start of an unanswered one, in which nothing is renewed: a server that
  /// rejects such a new token finds a permission missing, and each renewal uses up a refresh token.
  private static let pause: Int64 = 60

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

  /// Stores that a server has accepted a token after all, where it had rejected one.
  func clear(_ target: HelperTarget, _ given: Secret, as reference: String?) async {
    context.world.held.hold(given)
    do throws(EngineError) {
      let doubted = try context.accountStore.listing().accounts.contains { $0.recordedState.rejection != nil }
      guard doubted, let own = try await own(target, given, reference), own.purpose == nil else { return }
      try await TokenVerdict(context).record(nil, on: own.token, of: own.account)
    } catch {
      // The next success is stored; the program has what it wanted.
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
    let finder = HelperAccount(target: target, context: context) { $0.isPassword }
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

/// The reason why a program gets no credential, for people; the program gets the protocol's "none".
package enum NoCredential: Error, Equatable, Sendable {
  /// No account has one of these origins.
  case noAccount([Origin])
  /// More than one account has one of these origins, and none of them is chosen; `namesNoPath`: a path could choose, and
  /// the program named none.
  case several([Origin], [AccountName], HelperReach, namesNoPath: Bool)
  /// The account has this origin, which does not suffice for the destinations of this program.
  case notChosen(AccountName, Origin, HelperReach)
  /// The account's token can't be sent by the program.
  case notAccepted(AccountName, CredentialForm)
  /// The account's password is another user's than the program asks for.
  case otherUser(AccountName)
  /// The user that the program asks for is none of those of the accounts that have this origin.
  case noSuchUser(String, Origin, [AccountName])
  /// No credential may go to the requested address.
  case unusable(ParseError)
  /// The program asks for another protocol than http.
  case otherProtocol
  /// The program does not verify the server's certificate.
  case unverified
  /// The program does not name the destination of the credential.
  case noAddress
  /// The same for an ID token, which no choice of the account gives to a server that is not named.
  case noCluster
  /// No password is stored for the server.
  case nothingKept([Origin])
  /// No password is stored for the server, and the credential of this account is not one.
  case notKept(AccountName)
  /// The account can't be chosen, or its credential can't be read, renewed or stored.
  case failed(EngineError)

  /// `true` if there was nothing to delete.
  var meansNothingKept: Bool {
    switch self {
    case .nothingKept, .notKept: true
    case .noAccount, .several, .notChosen, .notAccepted, .otherUser, .noSuchUser, .unusable,
      .otherProtocol, .unverified, .noAddress, .noCluster, .failed:
      false
    }
  }

  /// `true` if it is the usual answer to a program that asks about other servers, too.
  package var isUsual: Bool {
    switch self {
    case .noAccount, .otherProtocol, .nothingKept: true
    case .several, .notChosen, .notAccepted, .otherUser, .noSuchUser, .unusable, .unverified, .noAddress, .noCluster,
      .notKept,
      .failed:
      false
    }
  }
}

extension Account {
  /// Returns `true` if the user gave this origin, rather than only a server to sign in at.
  func isGiven(for origin: Origin) -> Bool {
    tokenType == .static && keptFor == nil || origins.reasons(for: origin).contains(.user)
  }

  /// Returns `true` if its credential is only for one registry: stored there by a program's login, or of an account
  /// without another origin.
  ///
  /// A registry on this machine can have an origin of each scheme.
  func isOfRegistry(_ origin: Origin, for keeper: KeepingProgram?) -> Bool {
    if let keptFor { return keptFor == keeper && isLogin(of: keptFor, at: origin) }
    return origins.allSatisfy { $0.authority == origin.authority }
  }

  /// Returns `true` if a login of the program stored it for this server.
  func isLogin(of program: KeepingProgram, at origin: Origin) -> Bool {
    keptFor == program && origins.reasons(for: origin).contains(.signIn)
  }
}
