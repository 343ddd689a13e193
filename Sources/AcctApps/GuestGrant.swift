package import AcctModel
import AcctEngine
package import AcctProtocol
package import Secrets
package import StrictJSON
package import Release

/// A guest session as a backend grants it: `{"guestToken", "expiresIn", "limitations"}`.
package struct GuestGrant: Sendable {
  package let token: Token
  /// The token's `sub`, if it has one.
  package let subject: String?
  package let tokenLifetime: TokenLifetime
  package let limitations: GuestLimitations?

  /// The member that is missing or malformed.
  package struct Flaw: Error, Equatable, Sendable {
    package let member: String
  }

  /// What was wrong with the answer and cost nothing of the grant.
  package let blemishes: [Blemish]

  /// Reads a grant.
  ///
  /// The earlier of the token's own `exp` and `expiresIn` is its end; without either that is not known: it is valid
  /// until the backend rejects it.
  ///
  /// - Parameters:
  ///   - json: The backend's answer.
  ///   - now: The time from which `expiresIn` counts.
  ///   - redactor: Takes secrets out of the names of features.
  /// - Throws: ``Flaw``.
  package init(_ json: JSON, receivedAt now: Timestamp, redacting redactor: Redactor) throws(Flaw) {
    guard let object = json.objectValue else { throw Flaw(member: "guestToken") }
    try self.init(GrantMembers(object), receivedAt: now, redacting: redactor)
  }

  /// Reads a grant; see ``init(_:receivedAt:redacting:)-(JSON,_,_)``.
  package init(_ answer: GrantMembers, receivedAt now: Timestamp, redacting redactor: Redactor) throws(Flaw) {
    var answer = answer
    guard let token = answer.token("guestToken") else { throw Flaw(member: "guestToken") }
    self.token = token
    let claims = TokenClaims(of: token)
    subject = claims.subject.flatMap { $0.isEmpty ? nil : $0 }
    tokenLifetime = TokenLifetime(
      granted: answer.seconds("expiresIn"),
      until: claims.expiry,
      by: answer.serverTime,
      at: now,
      canRenew: false
    )
    limitations = answer.object["limitations"]?.objectValue.map(GuestLimitations.init)?.redacted(by: redactor)
    blemishes = answer.blemishes
  }
}

extension GuestLimitations {
  fileprivate func redacted(by redactor: Redactor) -> GuestLimitations {
    var limitations = self
    limitations.featuresDisabled = featuresDisabled.map(redactor.redact)
    return limitations
  }
}

/// A backend's error: `{"error": {"code", "message"}}`.
package struct BackendFault: Equatable, Sendable {
  package let code: String?
  package let message: String?

  /// Reads a body; also `{"error": "words"}` and `{"message": "words"}`, which are seen.
  ///
  /// - Parameters:
  ///   - json: The body, if it is JSON at all.
  ///   - redactor: Takes secrets out of the message.
  package init(_ json: JSON?, redacting redactor: Redactor) {
    let object = json?.objectValue
    let error = object?["error"]
    let message =
      error?.objectValue?["message"]?.stringValue ?? error?.stringValue
      ?? object?["message"]?.stringValue
    code = (error?.objectValue?["code"]?.stringValue).map(redactor.redact)
    // It goes into one line on a terminal.
    self.message = message.map { String(redactor.redact($0).prefix(300)) }
  }

  /// `true` if a 400 says that the request lacked `X-Device-ID`.
  package var namesDeviceID: Bool { message?.lowercased().contains("x-device-id") ?? false }
}
