package import AcctModel
package import Secrets

/// A credential that may be used: sent to one URL, or handed to the user.
///
/// Only a ``Permit`` makes one. A transport refuses a request to another URL that carries it.
package final class Released: Sendable {
  private let url: HTTPURL?
  /// The header lines that carry it, in the order in which they are printed.
  package let openedFields: [HeaderField]
  private let body: Secret?
  /// The parameter of the query that carries it, percent-encoded: `appid=KEY`.
  ///
  /// No URL has it, so that no message shows it: the transport writes it behind the URL's own query.
  package let openedQuery: Secret?
  private let token: Token?

  fileprivate init(
    _ url: HTTPURL?,
    _ fields: [HeaderField],
    body: Secret? = nil,
    query: Secret? = nil,
    token: Token? = nil
  ) {
    self.url = url
    openedFields = fields
    self.body = body
    openedQuery = query
    self.token = token
  }

  /// The token alone, as `token`, `exec` and programs have it; empty for a body, and for a token that is no account's yet.
  package var openedToken: Secret { token?.secret ?? Secret("") }

  /// Returns `true` if it was released for that URL.
  package func isFor(_ url: HTTPURL) -> Bool { self.url == url }

  /// The header lines, the parameter of the query and the body, for the URL that they are sent to.
  ///
  /// - Throws: ``AuthorizationError/misdirected(_:)`` for any other URL.
  package func opened(
    for url: HTTPURL
  ) throws(AuthorizationError) -> (fields: [HeaderField], query: Secret?, body: Secret?) {
    guard isFor(url) else { throw .misdirected(url.origin) }
    return (openedFields, openedQuery, body)
  }

  /// The same with the header lines that the user, or a program of the user's, gives for the request.
  package func beside(_ lines: [HeaderField]) -> Released {
    lines.isEmpty
      ? self : Released(url, openedFields + lines, body: body, query: openedQuery, token: token)
  }
}

extension Permit {
  /// Releases a token, in the form in which its account sends it.
  ///
  /// - Parameters:
  ///   - own: The token that the permit is for.
  ///   - companion: The line that belongs to it: its proof, or a device's identifier.
  /// - Returns: The token, for the recipient alone.
  /// - Throws: ``AuthorizationError/misdirected(_:)`` for the token of another account or purpose.
  package func release(
    _ own: AccountToken,
    beside companion: HeaderField? = nil
  ) throws(AuthorizationError) -> Released {
    guard own.owner == owner, own.isIDToken == isForIDToken, own.purpose == purpose else { throw misdirected }
    return Released(
      url,
      form.lines(for: own.token) + (companion.map { [$0] } ?? []),
      query: form.query(for: own.token),
      token: own.token
    )
  }

  /// Releases a token before it is an account's, or where it is not sent in the form of its account.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - scheme: The scheme in which it is sent; `nil` for the permit's own form.
  /// - Returns: The token, for the recipient alone.
  /// - Throws: ``AuthorizationError/misdirected(_:)`` where the permit is for an account's token.
  package func release(_ token: Token, in scheme: String? = nil) throws(AuthorizationError) -> Released {
    guard owner == nil else { throw misdirected }
    return Released(url, scheme.map { [.authorization($0, token)] } ?? form.lines(for: token))
  }

  /// Releases a body with credentials in it, and the line by which a client authenticates itself beside it.
  package func release(body: Secret?, beside line: HeaderField? = nil) -> Released {
    Released(url, line.map { [$0] } ?? [], body: body)
  }

  private var misdirected: AuthorizationError { .misdirected(url?.origin) }
}

extension Permit.Form {
  fileprivate func lines(for token: Token) -> [HeaderField] {
    switch self {
    case .authorization(let scheme): [.authorization(scheme, token)]
    case .cookie: [.sessionCookie(token)]
    case .field(let header): [HeaderField(header, token)]
    case .query, .none: []
    }
  }

  fileprivate func query(for token: Token) -> Secret? {
    guard case .query(let name) = self else { return nil }
    return Secret(joining: [Secret("\(name)="), token.secret.percentEncoded])
  }
}
