package import AcctModel
package import Secrets

/// The credential protocol of another program: its request, and acct's answer in its words.
///
/// A type of this kind is pure. It parses the program's words into a ``HelperTask`` and writes a
/// credential, or that there is none, as the program reads it. Which account answers, and whether it
/// may, is decided elsewhere, the same for all of them.
package protocol HelperProtocol: Sendable {
  /// The exchange between the program and acct for an operation.
  ///
  /// - Parameter operation: The words behind the protocol's name on the command line.
  /// - Returns: The way in which standard input is read, or that it is not read.
  static func exchange(for operation: [String]) -> HelperExchange

  /// `true` if the program asks for servers that require no credential, too.
  ///
  /// Then a server without an account is normal, and only `--verbose` reports it.
  static var asksForAnyServer: Bool { get }

  /// The name under which accounts note the logins that the program stores; `nil` if it stores none.
  static var keeper: Account.KeepingProgram? { get }

  /// `true` if the program shows why it gets no credential: a failure has no output then, and a status that is not 0.
  static var showsFailures: Bool { get }

  /// `true` if the program's user sees the exit status: a failure ends with that of any other command.
  static var endsWithStatus: Bool { get }

  /// The servers to which the program sends the credential that it asks for.
  var reach: HelperReach { get }

  /// `true` if the program gets the ID token of the sign-in, and not the token for requests.
  var wantsIDToken: Bool { get }

  /// The answer that says why there is no credential, where the program takes only what is in an answer: nothing is then
  /// written on standard error.
  ///
  /// - Parameters:
  ///   - code: The code of the failure.
  ///   - message: The failure in words for people.
  /// - Returns: The answer; `nil` for programs that read standard output alone.
  static func failure(code: String, message: String) -> HelperAnswer?

  /// An option that is not the program's, among words that it has from elsewhere.
  ///
  /// A part of a URL may stand there, and would be read as an option of acct.
  ///
  /// - Parameter words: The words behind the protocol's name, with acct's options among them.
  /// - Returns: The option without its value.
  static func foreignOption(in words: ArraySlice<String>) -> String?

  /// Parses the program's request.
  ///
  /// - Throws: ``HelperFlaw`` for input that is not the protocol.
  init(_ question: HelperQuestion) throws(HelperFlaw)

  /// The program's request.
  var task: HelperTask { get }

  /// `true` if the program can send a credential of this form; called before the keyring is read.
  func accepts(_ form: CredentialForm) -> Bool

  /// The credential in the protocol's words; its form was accepted.
  ///
  /// - Throws: ``OutputFlaw`` for one that the protocol has no form for.
  func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer

  /// The list of credentials, in the protocol's words.
  func answer(_ list: [HelperListing]) -> HelperAnswer

  /// "I have none", in the protocol's words.
  var none: HelperAnswer { get }

  /// "Done" after anything else.
  var done: HelperAnswer { get }

  /// The answer to a program that did not speak the protocol, if the protocol has words for that.
  ///
  /// - Returns: The words; `nil`: nothing on standard output, and a status that is not 0.
  static func answer(to flaw: HelperFlaw) -> HelperAnswer?
}

extension HelperProtocol {
  package static func exchange(for operation: [String]) -> HelperExchange { .silent }
  package static var asksForAnyServer: Bool { false }
  package static var keeper: Account.KeepingProgram? { nil }
  package static var showsFailures: Bool { false }
  package static var endsWithStatus: Bool { false }
  package var reach: HelperReach { .address }
  package var wantsIDToken: Bool { false }
  package static func failure(code: String, message: String) -> HelperAnswer? { nil }
  package static func foreignOption(in words: ArraySlice<String>) -> String? { nil }
  package func answer(_ list: [HelperListing]) -> HelperAnswer { none }
  package var none: HelperAnswer { HelperAnswer(isSuccess: false) }
  package var done: HelperAnswer { HelperAnswer() }
  package static func answer(to flaw: HelperFlaw) -> HelperAnswer? { nil }
}

/// The pattern of input and output between a program and acct.
package enum HelperExchange: Equatable, Sendable {
  /// Standard input is not read: all is on the command line or in the environment.
  case silent
  /// The program writes all of its question, and gets one answer.
  case whole
  /// The program writes lines up to an empty one, and gets one answer; it may keep its end open.
  case paragraph
  /// acct greets first, then answers each line by itself, until the program closes its end.
  case lines(greeting: String)
}

/// The input of a program: its arguments, standard input and environment.
package struct HelperQuestion: Sendable {
  /// The words behind the protocol's name on the command line.
  package var operation: [String]
  /// Standard input: all of it, or one line without its end.
  ///
  /// It may hold a secret.
  package var input: Secret
  /// An environment variable; an empty one counts as not set.
  package var variable: @Sendable (_ name: String) -> String?
  /// The version of acct, for a protocol that asks for it.
  package var version: String

  package init(
    _ operation: [String],
    _ input: Secret = Secret(""),
    version: String = "",
    variable: @escaping @Sendable (_ name: String) -> String? = { _ in nil }
  ) {
    self.operation = operation
    self.input = input
    self.version = version
    self.variable = variable
  }
}

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
  /// A server accepted this credential.
  case confirm(HelperTarget, Secret)
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
