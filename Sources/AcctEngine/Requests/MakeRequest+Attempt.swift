import AcctModel
import AcctPorts
import AcctProtocol

/// One attempt at a request: authorized anew, sent, and learnt from.
extension MakeRequest {
  /// How an attempt ends.
  enum End {
    case take(Answer)
    /// Once more, after so many seconds.
    case again(Int64)
  }

  /// Makes the request once.
  ///
  /// - Parameters:
  ///   - attempt: What is left to be tried.
  ///   - report: Is told what goes on.
  /// - Returns: The server's last word, or that the request is to be made once more.
  /// - Throws: ``EngineError``, where there is no answer and none will come.
  func make(
    _ attempt: inout RequestAttempt,
    _ report: (Event) -> Void
  ) async throws(EngineError) -> End {
    let url = attempt.request.url
    if !attempt.isFirst {
      // A wait may be long: what the user has changed meanwhile counts.
      attempt.account =
        try AccountStore(context.world.files).account(attempt.account.id) ?? attempt.account
    }
    let authorization = try await authorizer.authorize(attempt.request.target, as: attempt.account)
    if attempt.isFirst { authorization.notices.forEach { report(.notice($0)) } }
    let request = try await attempt.nextRequest(authorization.fields, context.timeout)
    var response: StreamedResponse
    do throws(HTTPFailure) { response = try await context.world.transport.stream(request) } catch {
      guard await attempt.canRepeat, let seconds = attempt.policy.wait(after: error) else {
        throw .http(error, url.origin)
      }
      return .again(seconds)
    }
    await learn(from: response.head, of: url.origin, for: attempt.account)

    var cause: EngineError?
    do throws(EngineError) {
      if let seconds = try await repetition(after: &response, &attempt, authorization) {
        await response.dismiss()
        return .again(seconds)
      }
    } catch {
      cause = error
    }
    return .take(delivery(of: response, from: url.origin, cause))
  }

  /// Keeps what any answer teaches.
  private func learn(from head: ResponseHead, of origin: Origin, for account: Account) async {
    NonceCache(context.world).learn(from: head.fields, of: origin)
    await limits.learn(from: head.fields, of: origin, for: account.id)
  }

  private func delivery(
    of response: StreamedResponse,
    from origin: Origin,
    _ cause: EngineError?
  ) -> Answer {
    let now = NonceCache(context.world).now(at: origin)
    return Answer(
      origin: origin,
      response: response,
      retryAfter: (response.head.retryAfter?.seconds(from: now)).map(RetryAfter.seconds),
      isWorthRetrying: RetryPolicy.waits(for: response.head, now: now),
      cause: cause
    )
  }
}
