import AcctModel
import AcctPorts
import AcctProtocol

/// Redirects (RFC 9110, section 15.4).
extension MakeRequest {
  /// Where an answer redirects to, if it does.
  ///
  /// Each request on the way is authorized for its own URL: no credential goes where the account
  /// would not send one by itself.
  ///
  /// - Returns: A URL of one of the account's origins, or why that URL is not asked.
  func redirect(_ head: ResponseHead, _ attempt: RequestAttempt) -> Result<HTTPURL, EngineError>? {
    head.redirect.map { location in Result { () throws(EngineError) in try target(of: location, attempt) } }
  }

  private func target(of location: String, _ attempt: RequestAttempt) throws(EngineError) -> HTTPURL {
    let target: HTTPURL
    do { target = try attempt.request.url.resolving(location) } catch .refusedURL(let refusal) {
      throw .input(.malformed(.refusedURL(refusal)))
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
    try attempt.account.requireOwn(target.origin)
    // A server elsewhere leads to this machine only where the user has allowed that origin.
    guard
      origin == here || origin.mayBePublic || !here.mayBePublic || own.reasons(for: origin).contains(.user)
        // The user has named every origin of a static token.
        || attempt.account.kind == .static
    else { throw .network(.http(.inside(host: origin.host), origin)) }
    return target
  }
}

extension ResponseHead {
  /// The one `Location` of an answer that asks for the same at another URL; 304 is none, and 305 and
  /// 306 are of the past.
  fileprivate var redirect: String? { [300, 301, 302, 303, 307, 308].contains(status) ? field("Location") : nil }
}
