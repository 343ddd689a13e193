package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets
import Text

/// Obtains the temporary keys of a role, with a token of an account.
///
/// They are kept with the account's credentials, and one process at a time asks for new ones.
struct AssumeRole: Sendable {
  let context: EngineContext
  let request: RoleRequest

  /// Seconds that kept keys must have left.
  private static let margin: Int64 = 300

  /// - Parameter account: The account, one of whose origins the service is.
  /// - Returns: The keys, and notices about the account's token.
  /// - Throws: ``EngineError``: there is no token, no answer, or a refusal.
  func keys(of account: Account) async throws(EngineError) -> (keys: RoleKeys, notices: [Notice]) {
    let permit = try permit(account)
    let kept = try await CredentialStore.readingWhole(account, in: context) { store throws(EngineError) in
      try await store.roleKeys()
    }
    await UseLog(context).note(account, at: request.endpoint.origin)
    if let keys = usable(kept) { return (keys, []) }
    // Before the lock: a renewal takes it, too.
    let grant = try await TokenProvider(context, .allowed).grant(to: account, under: permit)
    let keys = try await context.unlessChanged { () throws(EngineError) in try await obtain(grant, account) }
    return (keys, grant.notices)
  }

  private func usable(_ kept: KeptRoleKeys) -> RoleKeys? {
    kept[request.purpose].flatMap { keys in
      keys.expiresAt.seconds(since: context.world.clock.now()) > Self.margin ? keys : nil
    }
  }

  /// The permit to send the token that the service wants, in a body.
  private func permit(_ account: Account) throws(EngineError) -> Permit {
    // An exchange that brought an ID token has it in the place of its own.
    let sendsIDToken = !request.sendsAccessToken && account.tokenType != .none
    do { return try account.permit(inBodyTo: request.endpoint, idToken: sendsIDToken) } catch {
      throw .authorization(error)
    }
  }

  /// Asks, unless another process has done so while this one waited for the lock.
  private func obtain(_ grant: AccessGrant, _ account: Account) async throws(EngineError) -> RoleKeys {
    try await context.withExclusiveAccess(to: account, allowingCopy: true) {
      (current, store) async throws(EngineError) -> RoleKeys in
      var kept = try await store.roleKeys()
      if let keys = usable(kept) { return keys }
      let permit = try permit(current)
      try await store.prepare()
      // Another user may have signed in meanwhile, to whose account the old user's keys must not be added.
      var token = grant.token
      if permit.isForIDToken {
        token = try await store.idToken()?.token ?? token
      } else {
        token = try await store.read().token ?? token
      }
      let keys = try await ask(permit.release(body: request.form(token).secret()))
      kept.put(keys, for: request.purpose, at: context.world.clock.now())
      do throws(EngineError) { try await store.write([.init(.roleKeys, kept.item)]) } catch .keyring(
        .changedElsewhere(let name)
      ) {
        throw .keyring(.changedElsewhere(name))
      } catch {
        // They are good for this program all the same, and the next one obtains others.
      }
      return keys
    }
  }

  private func ask(_ released: Released) async throws(EngineError) -> RoleKeys {
    let origin = request.endpoint.origin
    let response = try await context.client.send(
      HTTPRequest(
        method: "POST",
        url: request.endpoint,
        fields: [("Content-Type", FormBody.mediaType), ("Accept", "text/xml")],
        releasing: released,
        timeout: context.timeout,
        bodyLimit: XMLReader.limit
      )
    )
    let texts: [XMLText]
    do throws(XMLFailure) { texts = try context.world.xml.texts(response.body) } catch {
      guard case .unavailable(let reason) = error else { throw Self.unread(response, origin) }
      throw .network(.xml(reason: reason))
    }
    for text in texts where text.path.hasSuffix("/SecretAccessKey") || text.path.hasSuffix("/SessionToken") {
      context.world.held.hold(text.text)
    }
    switch RoleAnswer(response.status, texts, redact: context.world.held.redactor.redact) {
    case .keys(let keys):
      guard keys.expiresAt > context.world.clock.now() else { throw Self.malformed("Expiration", origin) }
      return keys
    case .malformed(let member):
      throw response.status == 200 ? Self.malformed(member, origin) : Self.unread(response, origin)
    case .refused(let code, let message):
      let refusal = OAuthError.refused(code: code, description: message, status: response.status)
      switch RoleAnswer.cause(of: code) {
      case .expired, .issuer, .claim, .access, .issuerAway, .region:
        throw .told(Told(refusal, ErrorMessage(roleRefused: refusal, origin)))
      case .rate: throw .server(.rateLimited(retryAfter: RetryAfter(response.field("Retry-After")), origin))
      case .other: throw response.status >= 500 ? Self.unread(response, origin) : .server(.oauth(refusal, origin))
      }
    }
  }

  private static func malformed(_ member: String, _ origin: Origin) -> EngineError {
    .server(.oauth(.malformedAnswer(member: member), origin))
  }

  /// The error for an answer that says nothing but its status.
  private static func unread(_ response: HTTPResponse, _ origin: Origin) -> EngineError {
    let retryAfter = RetryAfter(response.field("Retry-After"))
    return switch response.status {
    case 429: .server(.rateLimited(retryAfter: retryAfter, origin))
    case 500...: .server(.failed(status: response.status, retryAfter: retryAfter, origin))
    case 200: malformed("body", origin)
    default: .server(.oauth(.unexplained(status: response.status), origin))
    }
  }
}

extension CredentialStore {
  /// Reads the keys of roles; damaged ones count as missing, since they can be obtained again.
  fileprivate func roleKeys() async throws(EngineError) -> KeptRoleKeys {
    try await items([.roleKeys])[.roleKeys].flatMap { try? KeptRoleKeys($0) } ?? KeptRoleKeys()
  }
}

/// The answer of AWS's STS to a ``RoleRequest``.
package enum RoleAnswer: Sendable {
  case keys(RoleKeys)
  /// It refuses, with its code and its message.
  case refused(code: String, message: String?)
  /// This element is missing, given twice, or not of its form.
  case malformed(member: String)

  /// The kind of a refusal.
  package enum Cause: Sendable {
    /// The token has expired.
    case expired
    /// The token's issuer or its audience is not in the AWS account.
    case issuer
    /// The issuer said that a claim is not valid.
    case claim
    /// The role's trust policy.
    case access
    /// The issuer does not answer the service.
    case issuerAway
    /// The service is not turned on in the region.
    case region
    /// Too many requests.
    case rate
    case other
  }

  private static let credentials = "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials/"

  /// - Parameters:
  ///   - status: The status of the response.
  ///   - texts: Its texts.
  ///   - redact: Removes secrets from a text for people.
  package init(_ status: Int, _ texts: [XMLText], redact: (String) -> String) {
    guard status == 200 else {
      guard let code = texts.only("ErrorResponse/Error/Code")?.shownText, Self.isCode(code), redact(code) == code
      else {
        self = .malformed(member: "Code")
        return
      }
      let message = texts.only("ErrorResponse/Error/Message").map { redact($0.shownText) }
      self = .refused(code: code, message: message.flatMap { $0.isEmpty ? nil : $0 })
      return
    }
    do throws(Missing) {
      self = .keys(
        RoleKeys(
          id: try Self.token("AccessKeyId", texts),
          secret: try Self.token("SecretAccessKey", texts),
          token: try Self.token("SessionToken", texts),
          expiresAt: try Self.end(texts)
        )
      )
    } catch {
      self = .malformed(member: error.member)
    }
  }

  /// The cause that a code of STS stands for.
  package static func cause(of code: String) -> Cause {
    switch code {
    case "ExpiredTokenException", "ExpiredToken": .expired
    case "InvalidIdentityToken": .issuer
    case "IDPRejectedClaim": .claim
    case "AccessDenied", "AccessDeniedException": .access
    case "IDPCommunicationError": .issuerAway
    case "RegionDisabledException": .region
    // Those that AWS's own libraries read so.
    case "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
      "RequestLimitExceeded", "TooManyRequestsException", "SlowDown", "PriorRequestNotComplete":
      .rate
    default: .other
    }
  }

  private struct Missing: Error { var member: String }

  private static func token(_ member: String, _ texts: [XMLText]) throws(Missing) -> Token {
    guard let text = texts.only(credentials + member), let token = try? Token(text) else {
      throw Missing(member: member)
    }
    return token
  }

  private static func end(_ texts: [XMLText]) throws(Missing) -> Timestamp {
    guard let text = texts.only(credentials + "Expiration"), let end = try? Timestamp(text.shownText) else {
      throw Missing(member: "Expiration")
    }
    return end
  }

  /// `true` for letters, digits and dots.
  private static func isCode(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") }
  }
}

extension [XMLText] {
  /// The text of the only element with a path.
  fileprivate func only(_ path: String) -> Secret? {
    let found = filter { $0.path == path }
    return found.count == 1 ? found[0].text : nil
  }
}
