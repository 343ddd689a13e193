package import AcctEngine
import AcctModel
package import Release
package import AcctPorts
import AcctProtocol

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
    let keeper = type(of: program).keeper ?? .docker
    do throws(NoCredential) {
      switch program.task {
      case .get(let target): return try await credential(for: target, program, reference)
      case .identity: return try await identity(program, reference)
      case .assume(let request): return try await role(request, program, reference)
      case .reject(let target, let given):
        let rejection = HelperRejection(context, for: purpose)
        let notices = try await rejection.renew(target, given, as: reference)
        return Outcome(answer: program.done, notices: notices)
      case .store(let target, let user, let secret):
        try await StoreFromHelper(context, keeper).keep(secret, of: user, for: target, as: reference)
        return Outcome(answer: program.done)
      case .forget(let target):
        do throws(NoCredential) {
          try await StoreFromHelper(context, keeper).forget(target, as: reference)
        } catch {
          // Then there is nothing to delete, and programs treat any error as a failure.
          guard error.meansNothingKept else { throw error }
          return Outcome(answer: program.done, reason: error)
        }
        return Outcome(answer: program.done)
      case .list: return Outcome(answer: program.answer(try StoreFromHelper(context, keeper).list()))
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
    let keeper = type(of: program).keeper
    let finder = HelperAccount(
      for: target,
      in: context,
      reach: program.reach,
      keeper: keeper,
      accepts: program.accepts
    )
    let found = try await finder.find(reference)
    chosen.name = found.account.name
    if program.wantsIDToken { return try await idToken(for: found, program) }
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
      fields: authorization.released.fields,
      token: authorization.released.tokenAlone,
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

  /// The ID token, for a server that the program names: it is good wherever its client is trusted.
  private func idToken(
    for found: HelperAccount.Found,
    _ program: some HelperProtocol
  ) async throws(NoCredential) -> Outcome {
    guard let url = found.url else { throw .noCluster }
    return try await idToken(of: found.account, for: url, program, ignored: found.ignored)
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
    } catch { throw .failed(error) }
    let credential = HelperCredential(
      url,
      fields: released.fields,
      token: released.tokenAlone,
      form: .scheme("Bearer"),
      expiresAt: grant.expiresAt,
      now: context.world.clock.now()
    )
    return Outcome(answer: try answer(program, credential), notices: grant.notices, ignored: ignored)
  }
}
