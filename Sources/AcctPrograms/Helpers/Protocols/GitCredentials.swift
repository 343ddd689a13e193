package import AcctModel
import AcctProtocol
import Secrets

/// Git's credential helpers: git-credential(1), gitcredentials(7).
///
/// From 2.46 on, git can send any scheme: it announces the capability `authtype`, and gets the scheme and
/// the credential behind it. Older git knows a user name and a password.
package struct GitCredentials: HelperProtocol {
  package let task: HelperTask
  private let user: String?
  /// `true` if git can send a credential in a scheme that the server names (its capability `authtype`).
  private let knowsSchemes: Bool
  /// The schemes that the server asked for, in lower case; none where git has not said.
  private let challenged: Set<String>

  package static func exchange(for operation: [String]) -> HelperExchange {
    operation == ["capability"] ? .silent : .paragraph
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard let operation = question.operation.first else { throw .operation(nil) }
    guard question.operation.count == 1 else { throw .arguments }
    // Other operations are not parsed: git adds operations, which a helper is to ignore whatever is written behind
    // them. `store` keeps nothing: a credential of another helper is not acct's, and its own acct has already. It tells
    // that a server has accepted one.
    guard operation == "get" || operation == "erase" else {
      (user, knowsSchemes, challenged) = (nil, false, [])
      if operation == "store", let input = try? GitQuestion(question.input), let given = input.given,
        case .success(let destination?) = try? input.place()
      {
        task = .confirm(HelperTarget(destination.url, user: destination.user), given)
        return
      }
      let isAsked = operation == "capability"
      task = .answered(HelperAnswer(Secret(isAsked ? "version 0\ncapability authtype\n" : "")))
      return
    }
    let input = try GitQuestion(question.input)
    let place = try input.place()
    user = if case .success(let destination) = place { destination?.user } else { nil }
    knowsSchemes = input.capabilities.contains("authtype")
    challenged = Set(input.challenges.flatMap { AuthenticationChallenge.parse($0).map(\.scheme) })
    task =
      if operation == "get" {
        Self.task(place) { .get($0) }
      } else if let given = input.given {
        Self.task(place) { .reject($0, given) }
      } else {
        // Without the credential that git got, the rejected one is not known.
        .answered(HelperAnswer())
      }
  }

  private static func task(
    _ place: Result<Destination?, ParseError>,
    _ make: (HelperTarget) -> HelperTask
  ) -> HelperTask {
    switch place {
    case .success(let destination?): make(HelperTarget(destination.url, user: destination.user))
    case .success(nil): .unusable(nil)
    case .failure(let error): .unusable(error)
    }
  }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    var lines: [Secret] = []
    func add(_ key: String, _ value: Secret) throws(OutputFlaw) {
      lines += [Secret("\(key)="), try OutputFormat.line.written(value), Secret("\n")]
    }
    if let scheme = scheme(of: credential.form) {
      try add("capability[]", Secret("authtype"))
      try add("authtype", Secret(scheme))
      try add("credential", credential.token)
      // acct has it, and renews it: no other helper is to keep it.
      try add("ephemeral", Secret("1"))
    } else if let login = credential.login(user) {
      try add("username", login.user)
      try add("password", login.password)
    } else {
      return none
    }
    if let expiresAt = credential.expiresAt { try add("password_expiry_utc", Secret("\(expiresAt.secondsSince1970)")) }
    return HelperAnswer(Secret(joining: lines))
  }

  /// The scheme to send; `nil`: a user name and a password.
  ///
  /// Servers that take a token only as a password say so, by asking for Basic alone.
  private func scheme(of form: CredentialForm) -> String? {
    guard knowsSchemes, case .scheme(let scheme) = form else { return nil }
    let asksForPassword = challenged.contains("basic") && !challenged.contains(scheme.lowercased())
    return asksForPassword ? nil : scheme
  }

  /// Nothing: git asks its next helper, or the user.
  package var none: HelperAnswer { HelperAnswer() }
}

/// The attributes that git writes, one a line, up to an empty line or the end (git-credential(1)).
struct GitQuestion {
  private var values: [String: Secret] = [:]
  private(set) var capabilities: [String] = []
  /// The values of the server's `WWW-Authenticate` fields, if it answered before.
  private(set) var challenges: [String] = []

  /// Attributes with one value each; the others are ignored, as the protocol demands.
  private static let single: Set<String> = [
    "protocol", "host", "path", "username", "password", "url", "authtype", "credential",
  ]

  /// Parses the attributes.
  ///
  /// An attribute that is given twice with one value is one. Two hosts could mean one to acct and another to git,
  /// so both are refused.
  ///
  /// - Throws: ``HelperFlaw/line``, ``HelperFlaw/repeated(_:)``, ``HelperFlaw/notText``.
  init(_ input: Secret) throws(HelperFlaw) {
    var bytes = input.withBytes { span in span.indices.map { span[$0] } }
    defer { _ = Secret(consuming: &bytes) }
    guard !bytes.contains(0) else { throw .notText }
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { return }
      guard let mark = line.firstIndex(of: UInt8(ascii: "=")), mark > line.startIndex else { throw .line }
      let key = String(decoding: line[..<mark], as: UTF8.self)
      let value = Secret(line[(mark + 1)...])
      switch key {
      case "capability[]": Self.add(value, to: &capabilities)
      case "wwwauth[]": Self.add(value, to: &challenges)
      case _ where Self.single.contains(key):
        guard values[key] == nil || values[key] == value else { throw .repeated(key) }
        values[key] = value
      default: break
      }
    }
  }

  /// An empty value clears the list.
  private static func add(_ value: Secret, to list: inout [String]) {
    if value.count == 0 { list = [] } else { list.append(value.shownText) }
  }

  /// A value that is no secret.
  ///
  /// - Throws: ``HelperFlaw/notText``.
  func text(_ key: String) throws(HelperFlaw) -> String? {
    guard let value = values[key] else { return nil }
    let text = value.shownText
    guard Secret(text) == value else { throw .notText }
    return text
  }

  /// The credential that git got from a helper: a password, or the part behind a scheme.
  var given: Secret? { [values["credential"], values["password"]].compactMap(\.self).first { $0.count > 0 } }

  /// The user; an empty one is none.
  ///
  /// - Throws: ``HelperFlaw/notText``.
  private func user() throws(HelperFlaw) -> String? {
    guard let user = try text("username"), !user.isEmpty else { return nil }
    // It is repeated in the answer.
    do { return try OutputFormat.line.written(user) } catch { throw .notText }
  }

  /// The URL that the credential is sent to, and the user.
  ///
  /// - Returns: The URL; an error of the URL where no credential may go there; `nil` for a scheme other than http and
  ///   https.
  /// - Throws: ``HelperFlaw/missing(_:)``, ``HelperFlaw/repeated(_:)``, ``HelperFlaw/notText``.
  func place() throws(HelperFlaw) -> Result<Destination?, ParseError> {
    let user = try user()
    if let url = try text("url") {
      // Git takes a URL apart itself; beside one, its parts could say something else.
      for key in ["protocol", "host", "path"] where values[key] != nil { throw .repeated(key) }
      return Result { () throws(ParseError) -> Destination? in
        var destination = try Destination(url)
        destination.user = user ?? destination.user
        return destination
      }
    }
    guard let name = try text("protocol") else { throw .missing("protocol") }
    guard let host = try text("host") else { throw .missing("host") }
    guard let scheme = Origin.Scheme(rawValue: name.lowercased()) else { return .success(nil) }
    // Git sends it with `credential.useHttpPath` alone. It chooses between accounts of the origin.
    let path = try text("path") ?? ""
    return Result { () throws(ParseError) -> Destination? in
      Destination(HTTPURL(try Origin(scheme, authority: host), path: path), user: user)
    }
  }
}
