import AcctEngine
import AcctModel
import AcctProtocol

extension AnswerProgram {
  /// The keys of a role, for an account whose origin the service is.
  func role(
    _ request: RoleRequest,
    _ program: some HelperProtocol,
    _ reference: String?
  ) async throws(NoCredential) -> Outcome {
    let finder = HelperAccount(for: HelperTarget(request.endpoint), in: context, accepts: program.accepts)
    let found = try await finder.find(reference)
    chosen.name = found.account.name
    do throws(EngineError) {
      let (keys, notices) = try await AssumeRole(request, context).keys(of: found.account)
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
