package import AcctModel
package import Secrets

/// The request of a program.
package enum HelperTask: Equatable, Sendable {
  /// A credential for requests of a URL.
  case get(HelperTarget)
  /// The identity of an account that the user named, for servers that the program knows.
  case identity
  /// The temporary keys of a role.
  case assume(RoleRequest)
  /// A server rejected this credential.
  case reject(HelperTarget, Secret)
  /// Keep a password for a server; without a user, a bearer token.
  case store(HelperTarget, user: String?, Secret)
  /// Delete the password that was kept for a server.
  case forget(HelperTarget)
  /// List the kept credentials.
  case list
  /// No account is needed: this is the answer.
  case answered(HelperAnswer)
  /// The program asks for an address that no credential of acct may go to; `nil`: another protocol than http.
  case unusable(ParseError?)
  /// The program does not verify the certificate of a server that is not on this machine.
  case unverified
}

extension HelperTask {
  /// A credential for the server of an address.
  ///
  /// - Parameters:
  ///   - address: A URL; it may be of another protocol than http, or none.
  ///   - user: The user that the program names.
  /// - Returns: The task.
  static func get(at address: String, user: String? = nil) -> HelperTask {
    let scheme = address.prefix { $0 != ":" }
    guard address.dropFirst(scheme.count).hasPrefix("://"), Origin.Scheme(rawValue: scheme.lowercased()) != nil
    else { return .unusable(nil) }
    do {
      let destination = try Destination(address)
      return .get(HelperTarget(destination.url, user: user ?? destination.user))
    } catch { return .unusable(error) }
  }
}

/// The answer to a program, and whether it is a success.
package struct HelperAnswer: Equatable, Sendable {
  /// The text for standard output.
  package var output: Secret
  /// Exit status 0; else it is 1.
  package var isSuccess: Bool
  /// The file that gets the text, too.
  package var file: String?
  /// `true` if the text is for the file alone: standard output is shown to the user.
  package var isForFileAlone = false

  package init(_ output: Secret = Secret(""), isSuccess: Bool = true) {
    self.output = output
    self.isSuccess = isSuccess
  }
}

/// Why a program's words are not the protocol.
package enum HelperFlaw: Error, Equatable, Sendable {
  /// The word on the command line is no operation; `nil`: there is none.
  case operation(String?)
  /// There are more words on the command line than the operation takes.
  case arguments
  /// An option, or an argument, of the command line can't be used.
  case option(String, OptionFlaw)
  /// More bytes than any question has.
  case tooLarge
  /// A line is not `KEY=VALUE`.
  case line
  /// Two lines, or members, give one value.
  case repeated(String)
  /// A value that the operation needs is missing, or empty.
  case missing(String)
  /// A value is not of the type, or not one of the values, that the protocol has for it.
  case value(String)
  /// Not text in UTF-8, or with characters that no text has there.
  case notText
  /// Not JSON.
  case notJSON

  /// Why an option or an argument can't be used.
  package enum OptionFlaw: Equatable, Sendable {
    /// The protocol has no such option.
    case unknown
    case repeated
    /// It is missing, or has no value.
    case missing
    /// Its value is not of its form.
    case value
  }
}
