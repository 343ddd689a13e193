package import AcctModel
package import AcctProtocol

/// A server that is known by name can't be used, or has no client.
package enum ProviderError: Error, Equatable, Sendable {
  /// No file describes it; these do others.
  case unknown(String, known: [String])
  /// A file can't be used, and the member that is wrong.
  case file(path: String, ProviderFlaw)
  /// A file can't be read, or others can write to it.
  case unreadable(path: String, reason: String)
  /// What stands behind its name; how it is typed.
  case place(ProviderPlace.Flaw, usage: String)
  /// It needs a client that the user registers once.
  case clientNeeded(Registration)
  /// Its clients have a secret, and none is known.
  case secretNeeded(Registration)
  /// It has no sign-in for programs: the user makes a password for acct.
  case appPassword(title: String, makeAt: String?, Origin?)
  /// It did not register acct, for this reason.
  case notRegistered(Origin, OAuthError, Registration)

  /// What the user needs to know to register a client.
  package struct Registration: Equatable, Sendable {
    /// The server's name for people, or its issuer.
    package var title: String
    /// How it is typed; `nil` for a server that was given by its address.
    package var typed: String?
    /// Where.
    package var place: String?
    /// The address to enter.
    package var redirect: String
    /// Whether a sign-in starts on another device, where the address is not used.
    package var usesDevice: Bool
  }
}
