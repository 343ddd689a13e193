import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// Redirects (RFC 9110, section 15.4).
extension MakeRequest {
  /// The target of a response's redirect, if it is one.
  ///
  /// Each request on the way is authorized for its own URL: no credential goes to a place to which the account would
  /// not send one by itself.
  ///
  /// - Returns: A URL of one of the account's origins, or the reason why that URL is not requested.
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
    // The message names a refused origin, unless it repeats a secret.
    guard own.contains(origin) || !context.world.held.redactor.finds(in: origin.host) else {
      throw .request(.redirectMalformed(location: "<redacted>", here))
    }
    do { try attempt.account.requireOwn(target.origin) } catch { throw .authorization(error) }
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
  /// The one `Location` of a response that requests the same at another URL; 304 is no redirect, and 305 and 306 are
  /// obsolete.
  fileprivate var redirect: String? { [300, 301, 302, 303, 307, 308].contains(status) ? field("Location") : nil }
}
