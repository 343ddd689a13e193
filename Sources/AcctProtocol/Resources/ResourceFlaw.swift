package import AcctModel

/// Why a resource server's own description does not lead to an authorization server (RFC 9728).
package enum ResourceFlaw: Error, Equatable, Sendable {
  /// No place has a description; the status of the last one.
  case noMetadata(status: Int)
  /// A parameter of its challenge is malformed, or is a URL that acct does not use.
  case challenge(parameter: String)
  /// It describes another resource, in these words, or none (section 3.3).
  case resource(expected: String, found: String?)
  case malformed(member: String)
  case refused(member: String, ParseError.Refusal)
  /// It names no authorization server.
  case noServer
  /// It names several authorization servers, these, and the user has to choose.
  case severalServers([String])
  /// The authorization server that it names sends the browser to another origin, and its answers do not name their
  /// issuer (RFC 9207): they could be another server's.
  case signInElsewhere(Origin)
}
