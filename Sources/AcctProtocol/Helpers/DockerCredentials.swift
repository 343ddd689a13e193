import AcctModel
import StrictJSON

/// The protocol of docker-credential-helpers, which docker, podman and skopeo speak.
///
/// <https://github.com/docker/docker-credential-helpers>
package struct DockerCredentials: HelperProtocol {
  package let task: HelperTask
  /// The server as docker names it.
  private let server: String
  private let operation: String

  /// Docker asks for each registry that it talks to.
  package static let asksForAnyServer = true

  package static func exchange(for operation: [String]) -> HelperExchange {
    operation == ["list"] || operation == ["version"] ? .silent : .whole
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard let operation = question.operation.first else { throw .operation(nil) }
    guard question.operation.count == 1 else { throw .arguments }
    self.operation = operation
    switch operation {
    case "list": (task, server) = (.list, "")
    case "version":
      let text = "docker-credential-acct (acct) v\(question.version)\n"
      (task, server) = (.answered(HelperAnswer(Secret(text))), "")
    case "get", "erase":
      let server = try Self.server(question.input)
      self.server = server
      task = Self.task(server) { operation == "get" ? .get($0) : .forget($0) }
    case "store":
      let (server, user, secret) = try Self.login(question.input)
      self.server = server
      task = Self.task(server) { .store($0, user: user, secret) }
    default: throw .operation(operation)
    }
  }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) -> HelperAnswer {
    guard let user = credential.form.passwordUser(nil, at: credential.url?.origin) else {
      return none
    }
    return Self.json([
      "ServerURL": .string(server), "Username": .string(user),
      "Secret": .string(credential.token.secret.shownText),
    ])
  }

  package func answer(_ list: [HelperListing]) -> HelperAnswer {
    var users = JSONObject()
    for entry in list {
      for name in entry.origins.map(\.registryName) where users[name] == nil {
        users[name] = .string(entry.user)
      }
    }
    return Self.json(.object(users))
  }

  /// Programs compare this text; a login or a logout that fails is something else.
  package var none: HelperAnswer {
    guard operation == "get" else { return HelperAnswer(isSuccess: false) }
    return HelperAnswer(Secret("credentials not found in native keychain\n"), isSuccess: false)
  }

  private static func json(_ json: JSON) -> HelperAnswer {
    var bytes = json.serialized()
    bytes.append(UInt8(ascii: "\n"))
    return HelperAnswer(Secret(consuming: &bytes))
  }
}

extension DockerCredentials {
  /// A server's URL or its bare host, alone, with white space around it.
  private static func server(_ input: Secret) throws(HelperFlaw) -> String {
    var bytes = input.withBytes { span in span.indices.map { span[$0] } }[...]
    func isSpace(_ byte: UInt8?) -> Bool { byte.map { " \t\r\n".utf8.contains($0) } ?? false }
    while isSpace(bytes.first) { bytes.removeFirst() }
    while isSpace(bytes.last) { bytes.removeLast() }
    guard !bytes.isEmpty else { throw .missing("ServerURL") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  private static func login(
    _ input: Secret
  ) throws(HelperFlaw) -> (server: String, user: String, secret: Secret) {
    let json: JSON
    do { json = try input.withBytes { span throws(JSONError) in try JSON(parsing: span) } } catch {
      if case .duplicateMember(let name) = error { throw .repeated(name) }
      throw .notJSON
    }
    guard let members = json.objectValue else { throw .notJSON }
    func text(_ name: String) throws(HelperFlaw) -> String {
      guard let member = members[name] else { throw .missing(name) }
      guard let text = member.stringValue else { throw .value(name) }
      guard !text.isEmpty else { throw .missing(name) }
      return text
    }
    return (try text("ServerURL"), try text("Username"), Secret(try text("Secret")))
  }

  /// The task for a server, if its name is one that a credential may go to.
  private static func task(_ server: String, _ make: (HelperTarget) -> HelperTask) -> HelperTask {
    do { return make(try HelperTarget(naming: server)) } catch { return .unusable(error) }
  }
}

extension Origin {
  /// The name under which docker and podman look for a registry.
  fileprivate var registryName: String {
    host == "index.docker.io" && port == 443 ? "https://index.docker.io/v1/" : authority
  }
}
