package import AcctModel
import AcctPorts
import AcctProtocol
package import Release
import Secrets

/// Makes the header lines that authorize one request.
package struct Authorize: Sendable {
  private let context: EngineContext
  private let network: TokenProvider.Network
  private let nonceCache: NonceCache
  private let notesUses: Bool

  /// - Parameters:
  ///   - context: Everything outside.
  ///   - network: The permission to renew.
  ///   - notesUses: `false` if the caller notes the uses of accounts.
  package init(_ context: EngineContext, _ network: TokenProvider.Network, notesUses: Bool = true) {
    self.context = context
    self.network = network
    self.notesUses = notesUses
    nonceCache = NonceCache(context.world, context.hints)
  }

  /// The request that the lines are for.
  package struct Target: Equatable, Sendable {
    package var method: String
    /// The URL, with the user that it names; `nil` only where the lines are the same for every URL.
    package var destination: Destination?
    package var url: HTTPURL? { destination?.url }

    package init(method: String, url: HTTPURL) {
      self.method = method
      destination = Destination(url)
    }

    /// A GET of a URL; `nil` where the lines are the same for every URL.
    package init(url: HTTPURL?) {
      method = "GET"
      destination = url.map { Destination($0) }
    }

    /// Checks the user's input.
    ///
    /// - Throws: ``InputError/method(_:)``, ``InputError/malformed(_:)``.
    package init(method: String?, url: String?) throws(EngineError) {
      self.method = method ?? "GET"
      guard self.method.isHTTPToken else { throw .input(.method(self.method)) }
      do { destination = try url.map { text throws(ParseError) in try Destination(text) } } catch {
        throw .input(.malformed(error))
      }
    }
  }

  /// The header lines, and their expiry.
  package struct Authorization: Sendable {
    package var released: Released
    /// The credential in the lines.
    package var token: Token
    package var expiresAt: Timestamp?
    package var notices: [Notice]
    /// The hint about the server that the proof used; `nil` without a proof.
    package var hint: ServerHint?
  }

  /// Authorizes one request as `account`.
  ///
  /// The origin is checked before the keyring is touched.
  ///
  /// - Parameters:
  ///   - target: The request.
  ///   - account: The account that makes it.
  ///   - asBearer: Send a sealed session as a bearer token instead of a cookie; the tokens of others are bearer tokens
  ///     already, or can't be, or are sent in the form in which the user added them.
  ///   - minimum: Seconds that the token must have left; the skew buffer if not given.
  ///   - purpose: The purpose that the user wants the token for, if it differs from the URL's own.
  ///   - grant: A token to use; if `nil`, the stored one is read, and renewed if that is due.
  ///   - hint: The hint about the server; if `nil`, it is read from its file if a proof needs it.
  /// - Returns: The lines, in the order in which they are printed.
  /// - Throws: ``EngineError``: the origin is refused, a sign-in is needed, the keyring fails.
  package func authorize(
    _ target: Target,
    as account: Account,
    asBearer: Bool = false,
    leaving minimum: Int64? = nil,
    for purpose: TokenPurpose? = nil,
    holding grant: AccessGrant? = nil,
    knowing hint: ServerHint? = nil
  ) async throws(EngineError) -> Authorization {
    let permit: Permit
    do {
      permit =
        if let url = target.url {
          try account.permit(to: url, for: purpose, asBearer: asBearer)
        } else {
          try account.permitForEveryURL(for: purpose, asBearer: asBearer)
        }
    } catch {
      throw .authorization(error)
    }
    let grant =
      if let grant {
        grant
      } else {
        try await TokenProvider(context, network).grant(to: account, under: permit, leaving: minimum)
      }
    var (companion, usedHint): (HeaderField?, ServerHint?)
    if account.tokenType == .dpop, !permit.isForIDToken, let url = target.url {
      guard let key = grant.key else { throw .authorization(.urlNeeded(account.name)) }
      // After the grant: a renewal may have talked to the same server.
      let hint = hint ?? nonceCache.hint(for: url.origin)
      let proof = try await hint.proof(for: target.method, url, key: key, token: grant.token, in: context.world)
      (companion, usedHint) = (HeaderField("DPoP", Secret(proof)), hint)
    } else if account.tokenType == .guest {
      companion = try await context.backends?.companion(context)
    }
    let released = try permit.release(grant, beside: companion)
    if notesUses { await UseLog(context).note(account, at: target.url?.origin) }
    return Authorization(
      released: released,
      token: grant.token,
      expiresAt: grant.expiresAt,
      notices: grant.notices,
      hint: usedHint
    )
  }
}
