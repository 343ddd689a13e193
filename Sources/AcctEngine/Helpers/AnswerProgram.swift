import AcctModel
package import AcctPorts
package import AcctProtocol

/// Does what a program asks for in its credential protocol, and answers in its words.
///
/// It never asks a person: no protocol has a place for a prompt, and a program that waits for one seems to
/// hang.
package struct AnswerProgram: Sendable {
  private let context: EngineContext
  private let purpose: TokenPurpose?

  /// - Parameters:
  ///   - context: Everything outside; no prompt is shown whatever it allows.
  ///   - purpose: What the token is for, where that is not what the account's own is for.
  package init(_ context: EngineContext, for purpose: TokenPurpose? = nil) {
    var context = context
    context.interaction = .forbidden
    self.context = context
    self.purpose = purpose
  }

  /// The answer, and what people should know.
  package struct Outcome: Sendable {
    package var answer: HelperAnswer
    /// Why there is no credential.
    package var reason: NoCredential?
    package var notices: [Notice] = []
    /// `.acct` files that were ignored.
    package var ignored: [DirectoryFile] = []
  }

  /// Does the task of a program.
  ///
  /// - Parameters:
  ///   - program: What it asks.
  ///   - reference: The account that the user named with the command.
  /// - Returns: The answer; where there is none, the protocol's words for that, and the reason.
  package func answer(_ program: some HelperProtocol, as reference: String?) async -> Outcome {
    do throws(NoCredential) {
      switch program.task {
      case .get(let target): return try await credential(for: target, program, reference)
      case .reject(let target, let given):
        let rejection = RejectedByProgram(context, for: purpose)
        let notices = try await rejection.renew(target, given, as: reference)
        return Outcome(answer: program.done, notices: notices)
      case .store(let target, let user, let secret):
        try await KeepForProgram(context).keep(secret, of: user, for: target, as: reference)
        return Outcome(answer: program.done)
      case .forget(let target):
        do throws(NoCredential) {
          try await KeepForProgram(context).forget(target, as: reference)
        } catch {
          // Then there is nothing to delete, and programs take any error for a failure.
          guard error.meansNothingKept else { throw error }
          return Outcome(answer: program.done, reason: error)
        }
        return Outcome(answer: program.done)
      case .list: return Outcome(answer: program.answer(try KeepForProgram(context).list()))
      case .answered(let answer): return Outcome(answer: answer)
      case .unusable(nil): throw .otherProtocol
      case .unusable(let error?): throw .unusable(error)
      case .unverified: throw .unverified
      }
    } catch {
      return Outcome(answer: program.none, reason: error)
    }
  }

  private func credential(
    for target: HelperTarget,
    _ program: some HelperProtocol,
    _ reference: String?
  ) async throws(NoCredential) -> Outcome {
    let finder = ProgramsAccount(for: target, in: context, reach: program.reach, accepts: program.accepts)
    let found = try await finder.find(reference)
    let authorization: Authorize.Authorization
    do {
      authorization = try await Authorize(context, .allowed)
        .authorize(Authorize.Target(url: found.url), as: found.account, for: purpose)
    } catch {
      throw .failed(error)
    }
    let credential = HelperCredential(
      found.url,
      fields: authorization.fields.map { ($0.name, $0.value) },
      token: authorization.token,
      form: found.account.credentialForm,
      expiresAt: authorization.expiresAt,
      now: context.world.clock.now()
    )
    return Outcome(answer: program.answer(credential), notices: authorization.notices, ignored: found.ignored)
  }
}
