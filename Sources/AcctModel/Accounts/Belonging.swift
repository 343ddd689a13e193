/// The source that states an account's identity: where its credentials came from.
package enum AccountSource: Hashable, Sendable {
  /// The issuer granted them to acct itself.
  case issuer
  /// A backend issued or keeps them, and stated their owner.
  case backend(Origin)
  /// A file of the user's own.
  case user
}

/// An account's identity, and its client.
package struct Identity: Hashable, Sendable {
  /// The DID, a token's `sub`, or the handle; without one, no other identity equals it.
  package var subject: String?
  @Boxed package var issuer: Issuer?
  /// The exact `client_id`; a renewal with another string ends the session.
  package var clientID: String?

  package init(subject: String?, issuer: Issuer?, clientID: String?) {
    self.subject = subject
    self.issuer = issuer
    self.clientID = clientID
  }
}

extension Identity {
  /// The client, whatever scope its identifier holds.
  ///
  /// A client without a document of its own writes its scope into its identifier
  /// (<https://atproto.com/specs/oauth>, "Localhost Client Development"); another scope is no other
  /// client.
  fileprivate var clientWithoutScope: String? {
    let host = "http://localhost?"
    guard let clientID, clientID.hasPrefix(host) else { return clientID }
    let parameters = clientID.dropFirst(host.count).split(separator: "&")
    return host + parameters.filter { !$0.hasPrefix("scope=") }.joined(separator: "&")
  }
}

/// The facts by which a sign-in finds its account: the same facts renew an account, any others make a new one.
///
/// A server can name any subject, any client and any issuer, so none of them alone identifies the
/// source. A backend's statement counts for accounts of that backend, and for no other.
///
/// No server states the owner of a static token, and its origins may be those of several tokens. So the
/// name identifies its account: the user's own, or else the one that acct makes of user and origin. A new
/// token under that name replaces the old one. An export states no name here: its accounts are the same
/// by their identifiers, since two machines can give one name to two tokens.
package struct Belonging: Hashable, Sendable {
  package var kind: Account.Kind
  /// `nil` where it is not known, as in account files of version 0.1.0.
  package var source: AccountSource?
  package var identity: Identity
  /// The name of a static token's account; `nil` for any other.
  package var name: AccountName?
  /// The origin of its token endpoint, for an account whose server is known by its endpoints and not by an issuer.
  package var tokenOrigin: Origin?
  /// The resources that its tokens are for, in any order: tokens for two resources are two accounts.
  package var resources: Set<ResourceIndicator>
  /// The services that its exchange asks for by name: tokens for two of them are two accounts.
  package var audiences: [String]
  /// `true` if its server registered its client for acct.
  package var isRegistered: Bool

  package init(
    kind: Account.Kind,
    source: AccountSource?,
    identity: Identity,
    name: AccountName? = nil,
    tokenOrigin: Origin? = nil,
    resources: [ResourceIndicator] = [],
    audiences: [String] = [],
    isRegistered: Bool = false
  ) {
    self.kind = kind
    self.source = source
    self.identity = identity
    self.name = name
    self.tokenOrigin = tokenOrigin
    self.resources = Set(resources)
    self.audiences = audiences
    self.isRegistered = isRegistered
  }

  /// Returns `true` if both are known to identify one account.
  package func isSame(as other: Belonging) -> Bool {
    if kind == .static, other.kind == .static { return name != nil && name == other.name }
    guard kind == other.kind, let subject = identity.subject, subject == other.identity.subject,
      hasClient(of: other), resources == other.resources, audiences == other.audiences
    else { return false }
    switch (source, other.source) {
    case (.backend(let backend), .backend(let another)): return backend == another
    // A source that is not known may be another backend, or none.
    case (.backend, _), (_, .backend): return false
    case (.issuer, _), (_, .issuer):
      guard identity.issuer == nil, other.identity.issuer == nil else {
        return identity.issuer == other.identity.issuer
      }
      return tokenOrigin != nil && tokenOrigin == other.tokenOrigin
    case (.user, _), (nil, _):
      // Both are files of the user's. A DID names one identity everywhere, so an issuer that is not
      // known yet, since the first renewal finds it, does not make it another one.
      let isUnknown = identity.issuer == nil || other.identity.issuer == nil
      return identity.issuer == other.identity.issuer || isUnknown && subject.hasPrefix("did:")
    }
  }
}

extension Belonging {
  /// Returns `true` if both have the same server, client and resources; the user is not compared.
  package func isAtSamePlace(as other: Belonging) -> Bool {
    var (one, two) = (self, other)
    one.identity.subject = "-"
    two.identity.subject = "-"
    return one.isSame(as: two)
  }

  /// Returns `true` if both have the same client.
  ///
  /// A server that registers clients gives acct a new identifier each time, and each is acct. It has done so for
  /// its own accounts alone: the issuer is compared beside this.
  private func hasClient(of other: Belonging) -> Bool {
    if isRegistered, other.isRegistered, source == .issuer, other.source == .issuer { return true }
    return identity.clientWithoutScope == other.identity.clientWithoutScope
  }
}

extension Account {
  /// The facts by which a later sign-in finds this account.
  package var belonging: Belonging {
    Belonging(
      kind: kind,
      source: source,
      identity: identity,
      name: kind == .static ? name : nil,
      tokenOrigin: client.endpoints[.token]?.origin,
      resources: resources,
      audiences: client.inputs.audiences,
      isRegistered: client.isRegistered
    )
  }

  /// `true` if the server that issues its tokens is known.
  package var hasServer: Bool { identity.issuer != nil || client.endpoints[.token] != nil }
}
