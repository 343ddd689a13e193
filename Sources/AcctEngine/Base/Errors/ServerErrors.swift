package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A server gave no answer; the credentials are unchanged.
package enum NetworkError: Error, Equatable, Sendable {
  case http(HTTPFailure, Origin)
  /// There was no answer to a renewal, which the server may have granted all the same.
  case renewalUnanswered(HTTPFailure, Origin)
  case dns(DNSFailure, name: String)
  /// An answer in XML can't be read here, for this reason.
  case xml(reason: String)
  /// A renewal is needed, and `--offline` does not allow it.
  case offline
}

/// A server gave an answer that is not the requested one; the credentials are unchanged.
package enum ServerError: Error, Equatable, Sendable {
  case oauth(OAuthError, Origin)
  /// A resource server's metadata does not lead to an authorization server.
  case resource(ResourceFlaw, Origin)
  /// 429; `Retry-After` if it can be read.
  case rateLimited(retryAfter: RetryAfter?, Origin)
  /// It named another user than the one who signed in.
  case otherUser(OtherUser, Origin)
  /// 5xx; `Retry-After` if it can be read.
  case failed(status: Int, retryAfter: RetryAfter?, Origin)
  /// 5xx to a sign-in, which stores nothing then.
  case signInFailed(status: Int, retryAfter: RetryAfter?, Origin)
  /// 5xx to a renewal, which the server may have granted before it failed.
  case renewalFailed(status: Int, retryAfter: RetryAfter?, Origin)
  /// An answer to a renewal, which the server may have granted with it, that can't be read.
  case renewalUnread(OAuthError, Origin)
}

/// A server's statement about another user than the one who signed in (OpenID Connect Core 1.0, sections 5.3.2 and
/// 12.2).
package struct OtherUser: Error, Equatable, Sendable {
  /// The kind of answer that contains the statement.
  package enum Place: Sendable {
    /// The tokens of a renewal.
    case renewal
    case userinfo
  }

  package var place: Place
  /// Subjects in a form for people; with the issuer before them where only that differs.
  package var expected: String
  package var found: String

  /// The reason recorded for a session that ended with it.
  var reason: String {
    switch place {
    case .renewal: StateReason.renewedForOther(found: found, expected: expected).text
    case .userinfo: StateReason.userinfoOfOther(found: found, expected: expected).text
    }
  }
}

/// A server that is known by name can't be used, or has no client.
package enum ProviderError: Error, Equatable, Sendable {
  /// No file describes it; the known ones are these.
  case unknown(String, known: [String])
  /// A file can't be used, because of this member.
  case file(path: String, ProviderFlaw)
  /// A file can't be read, or others can write to it.
  case unreadable(path: String, reason: String?)
  /// The part after its name is not valid; `usage` is the right syntax.
  case place(ProviderPlace.Flaw, usage: String)
  /// It needs a client that the user registers once.
  case clientNeeded(Registration)
  /// Its clients have a secret, and none is known.
  case secretNeeded(Registration)
  /// It has no sign-in for programs: the user makes a password for acct.
  case appPassword(title: String, makeAt: String?, Origin?)
  /// A key of it can't be taken.
  case key(ProviderKeyError)
  /// It did not register acct, for this reason.
  case notRegistered(Origin, OAuthError, Registration)

  /// The instructions for registering a client.
  package struct Registration: Equatable, Sendable {
    /// The server's name for people, or its issuer.
    package var title: String?
    /// The server's name on the command line; `nil` for a server that was given by its address.
    package var typed: String?
    /// The page for the registration.
    package var place: String?
    /// The same page with its fields filled in, where the site takes them from the address.
    package var page: String?
    /// The address to enter.
    package var redirect: String
    /// `true` if a sign-in takes place on another device, where the address is not used.
    package var usesDevice: Bool
  }
}

/// A key of a server that is known by name can't be taken.
package enum ProviderKeyError: Error, Equatable, Sendable {
  /// None was given, and no terminal can ask for it; the page is where it is made.
  case needed(title: String, typed: String, page: String?)
  /// Its accounts have keys, and options of a sign-in were given.
  case noSignIn(title: String, typed: String)
  /// Its accounts sign in, and a key was given; another provider may take that.
  case noKey(title: String, other: String?)
  /// Another account has the name that the account would get.
  case nameTaken(AccountName, isKey: Bool)
  /// It is a variable of another name, with its value.
  case assignment
  /// It begins as the keys of another provider do.
  case foreign(of: String, typed: String, for: String)
}
