import AcctModel
import AcctPorts
import AcctProtocol

/// Redirects (RFC 9110, section 15.4), where the user wants them to be followed.
extension MakeRequest {
  /// How many redirects of one request are followed.
  private static let mostRedirects = 10

  /// Follows the redirect that an answer is, if it is one that is followed.
  ///
  /// Each request on the way is authorized for its own URL: no credential goes where the account
  /// would not send one by itself.
  ///
  /// - Parameters:
  ///   - answer: An answer that is to be taken as it is, as far as its URL is concerned.
  ///   - attempt: What is left to be tried; afterwards at the next URL, if there is one.
  /// - Returns: The answer, with what keeps its redirect from being followed; `nil` if there is
  ///   another URL to be asked.
  func lastWord(_ answer: Answer, _ attempt: inout RequestAttempt) async -> Answer? {
    guard attempt.mayFollow, answer.cause == nil,
      let location = answer.response.head.redirect
    else { return answer }
    do throws(EngineError) {
      let target = try target(of: location, attempt)
      guard attempt.redirects < Self.mostRedirects else {
        throw .request(.tooManyRedirects(limit: Self.mostRedirects, answer.origin))
      }
      attempt.follow(to: target)
    } catch {
      var answer = answer
      answer.cause = error
      return answer
    }
    await answer.response.dismiss()
    return nil
  }

  /// Where a redirect leads, if that is an origin of the account's.
  private func target(
    of location: String,
    _ attempt: RequestAttempt
  ) throws(EngineError) -> HTTPURL {
    let target: HTTPURL
    do { target = try attempt.request.url.resolving(location) } catch .refusedURL(let refusal) {
      throw .malformed(.refusedURL(refusal))
    } catch {
      let shown = context.world.held.redactor.redact(location)
      throw .request(.redirectMalformed(location: shown, attempt.request.url.origin))
    }
    let (origin, here) = (target.origin, attempt.request.url.origin)
    let own = attempt.account.origins
    // An origin that is refused is named, unless it repeats a secret.
    guard own.contains(origin) || !context.world.held.redactor.finds(in: origin.host) else {
      throw .request(.redirectMalformed(location: "<redacted>", here))
    }
    try check(target, for: attempt.account)
    // A server elsewhere leads to this machine only where the user has allowed that origin.
    guard
      origin == here || origin.mayBePublic || !here.mayBePublic
        || own.reasons(for: origin).contains(.user)
    else { throw .http(.inside(host: origin.host), origin) }
    return target
  }
}

extension ResponseHead {
  /// The one `Location` of an answer that asks for the same at another URL; 304 is none, and 305 and
  /// 306 are of the past.
  fileprivate var redirect: String? {
    [300, 301, 302, 303, 307, 308].contains(status) ? field("Location") : nil
  }
}
