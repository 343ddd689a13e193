package import AcctModel
import Secrets

/// The command line of `keyring`; options may stand before the operation and behind it.
struct KeyringWords {
  enum Operation: String { case get, set, del }

  /// The printed part of a credential: the password, or the user name before it.
  enum Mode: String { case password, creds }

  enum Output: String { case plain, json }

  private enum Option {
    case mode, output
    /// The keyring to ask, and the place of its program: acct has one.
    case backend
  }

  /// Each has a value.
  private static let meanings: [String: Option] = [
    "--mode": .mode, "--output": .output, "--keyring-backend": .backend, "-b": .backend,
    "--keyring-path": .backend, "-p": .backend,
  ]

  let operation: Operation
  /// The address of a server, or the name of anything else.
  let service: String
  let user: String?
  let mode: Mode
  let output: Output

  /// Parses the words behind the command's name.
  init(_ arguments: [String]) throws(HelperFlaw) {
    var (words, mode, output): ([String], Mode, Output) = ([], .password, .plain)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-") else {
        words.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = Self.meanings[name] else { throw .operation(name) }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else { throw .missing(name) }
      switch option {
      case .mode: mode = try Self.choice(value, name)
      case .output: output = try Self.choice(value, name)
      case .backend: break
      }
    }
    guard let name = words.first, let operation = Operation(rawValue: name) else { throw .operation(words.first) }
    guard words.count >= 2 else { throw .missing("SERVICE") }
    guard words.count <= 3 else { throw .arguments }
    (self.operation, service) = (operation, words[1])
    user = words.count == 3 ? words[2] : nil
    (self.mode, self.output) = (mode, output)
    // Without a user name there is no password, only credentials.
    guard user != nil || operation == .get && mode == .creds else { throw .missing("USERNAME") }
    do { _ = try user.map(OutputFormat.line.written) } catch { throw .notText }
  }

  /// An option behind the operation that is none of the command keyring's.
  static func foreignOption(in words: ArraySlice<String>) -> String? {
    guard let operation = words.firstIndex(where: { Operation(rawValue: $0) != nil }) else { return nil }
    return words[(operation + 1)...].lazy
      .filter { $0.hasPrefix("-") }
      .map { String($0.prefix { $0 != "=" }) }
      .first { meanings[$0] == nil }
  }

  private static func choice<Value: RawRepresentable<String>>(
    _ text: String,
    _ name: String
  ) throws(HelperFlaw) -> Value {
    guard let value = Value(rawValue: text) else { throw .value(name) }
    return value
  }
}

/// The command `keyring`, which pip, uv and other programs run.
///
/// A token is a password to it, as many package servers take one. What others store is ignored.
package struct KeyringRequest: HelperProtocol {
  package let task: HelperTask
  private let words: KeyringWords

  /// The programs ask for each server that wants a password.
  package static let asksForAnyServer = true

  /// User and server are parts of a URL, which a project may have written.
  package static func foreignOption(in words: ArraySlice<String>) -> String? { KeyringWords.foreignOption(in: words) }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    words = try KeyringWords(question.operation)
    switch words.operation {
    // After a URL, pip and uv ask for its host alone, also where the URL was refused as one of plain http:
    // an answer would go there.
    case .get: task = .get(at: words.service, user: words.user)
    case .set: task = .answered(HelperAnswer())
    case .del: task = .answered(HelperAnswer(isSuccess: false))
    }
  }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    guard let login = credential.login(words.user) else { return none }
    let format = words.output == .json ? OutputFormat.json : .line
    let (name, password) = (try format.written(login.user), try format.written(login.password))
    let parts: [Secret] =
      switch (words.mode, words.output) {
      case (.password, .plain): [password]
      case (.creds, .plain): [name, Secret("\n"), password]
      case (.password, .json): [Secret(#"{"password": "#), password, Secret("}")]
      case (.creds, .json): [Secret(#"{"username": "#), name, Secret(#", "password": "#), password, Secret("}")]
      }
    return HelperAnswer(Secret(joining: parts + [Secret("\n")]))
  }
}
