package import AcctEngine
package import AcctModel
import AcctProtocol

/// The reason why a program gets no credential, for people; the program gets the protocol's "none".
package enum NoCredential: Error, Equatable, Sendable {
  /// No account has one of these origins.
  case noAccount([Origin])
  /// More than one account has one of these origins, and none of them is chosen; `namesNoPath`: a path could choose, and
  /// the program named none.
  case several([Origin], [AccountName], HelperReach, namesNoPath: Bool)
  /// The account has this origin, which does not suffice for the destinations of this program.
  case notChosen(AccountName, Origin, HelperReach)
  /// The account's token can't be sent by the program.
  case notAccepted(AccountName, CredentialForm)
  /// The account's password is another user's than the program asks for.
  case otherUser(AccountName)
  /// The user that the program asks for is none of those of the accounts that have this origin.
  case noSuchUser(String, Origin, [AccountName])
  /// No credential may go to the requested address.
  case unusable(ParseError)
  /// The program asks for another protocol than http.
  case otherProtocol
  /// The program does not verify the server's certificate.
  case unverified
  /// The program does not name the destination of the credential.
  case noAddress
  /// The same for an ID token, which no choice of the account gives to a server that is not named.
  case noCluster
  /// No password is stored for the server.
  case nothingKept([Origin])
  /// No password is stored for the server, and the credential of this account is not one.
  case notKept(AccountName)
  /// The account can't be chosen, or its credential can't be read, renewed or stored.
  case failed(EngineError)

  /// `true` if there was nothing to delete.
  var meansNothingKept: Bool {
    switch self {
    case .nothingKept, .notKept: true
    case .noAccount, .several, .notChosen, .notAccepted, .otherUser, .noSuchUser, .unusable,
      .otherProtocol, .unverified, .noAddress, .noCluster, .failed:
      false
    }
  }

  /// `true` if it is the usual answer to a program that asks about other servers, too.
  package var isUsual: Bool {
    switch self {
    case .noAccount, .otherProtocol, .nothingKept: true
    case .several, .notChosen, .notAccepted, .otherUser, .noSuchUser, .unusable, .unverified, .noAddress, .noCluster,
      .notKept,
      .failed:
      false
    }
  }
}

extension Account {
  /// Returns `true` if the user gave this origin, rather than only a server to sign in at.
  func isGiven(for origin: Origin) -> Bool {
    tokenType == .static && keptFor == nil || origins.reasons(for: origin).contains(.user)
  }

  /// Returns `true` if its credential is only for one registry: stored there by a program's login, or of an account
  /// without another origin.
  ///
  /// A registry on this machine can have an origin of each scheme.
  func isOfRegistry(_ origin: Origin, for keeper: KeepingProgram?) -> Bool {
    if let keptFor { return keptFor == keeper && isLogin(of: keptFor, at: origin) }
    return origins.allSatisfy { $0.authority == origin.authority }
  }

  /// Returns `true` if a login of the program stored it for this server.
  func isLogin(of program: KeepingProgram, at origin: Origin) -> Bool {
    keptFor == program && origins.reasons(for: origin).contains(.signIn)
  }
}
