package import AcctModel
import Secrets
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

  package static var keeper: Account.KeepingProgram? { .docker }

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
      task =
        operation == "get"
        ? Self.task(server, elsewhere: Self.notFound) { .get($0.underAllNames) }
        : Self.task(server, elsewhere: HelperAnswer()) { .forget($0.underOwnName) }
    case "store":
      let login = try HelperMembers(question.input)
      server = try login.text("ServerURL")
      let user = try login.text("Username")
      let secret = Secret(try login.text("Secret"))
      task = Self.task(server, elsewhere: HelperAnswer()) { .store($0.underOwnName, user: user, secret) }
    default: throw .operation(operation)
    }
  }

  /// Docker hands its credentials to each build, so it gets only those that are the registry's alone.
  package var reach: HelperReach { .registry }

  package func accepts(_ form: CredentialForm) -> Bool { form.isPassword }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    guard let login = credential.login(nil) else { return none }
    return HelperAnswer(
      Secret(joining: [
        Secret(#"{"ServerURL":"#), try OutputFormat.json.written(Secret(server)), Secret(#","Username":"#),
        try OutputFormat.json.written(login.user), Secret(#","Secret":"#),
        try OutputFormat.json.written(login.password), Secret("}\n"),
      ])
    )
  }

  package func answer(_ list: [HelperListing]) -> HelperAnswer {
    var users = JSONObject()
    for entry in list {
      for name in entry.places.map(\.registryName) where users[name] == nil { users[name] = .string(entry.user) }
    }
    return HelperAnswer(Secret(joining: [Secret(JSON.object(users).serialized()), Secret("\n")]))
  }

  /// A login or a logout that fails is something else than a credential that is not there.
  package var none: HelperAnswer { operation == "get" ? Self.notFound : HelperAnswer(isSuccess: false) }

  /// Programs compare this text.
  private static let notFound = HelperAnswer(Secret("credentials not found in native keychain\n"), isSuccess: false)

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

  /// The task for a server, if its name is one that a credential may go to.
  ///
  /// - Parameters:
  ///   - server: As docker names it.
  ///   - answer: The answer for a name that is no registry: docker also names places beside one, to keep other parts
  ///     of a sign-in at Docker Hub there, such as `https://index.docker.io/v1/refresh-token`.
  ///   - make: Makes the task.
  /// - Returns: The task.
  private static func task(
    _ server: String,
    elsewhere answer: HelperAnswer,
    _ make: (HelperTarget) -> HelperTask
  ) -> HelperTask {
    do {
      var target = try HelperTarget(naming: server)
      // Docker itself names such places by URLs; a name without a scheme is a registry's, or a part of one.
      guard target.urls.allSatisfy({ $0.isRegistry || !$0.isOfAPI }) || !server.contains("://") else {
        return .answered(answer)
      }
      target.urls = target.urls.map { $0.isRegistry ? HTTPURL($0.origin) : $0 }
      return make(target)
    } catch {
      return .unusable(error)
    }
  }
}

extension HTTPURL {
  /// `true` for the URL of a whole registry, which has its API below one of these paths.
  var isRegistry: Bool { query == nil && ["/", "/v1", "/v1/", "/v2", "/v2/"].contains(path) }

  /// `true` for a URL of a registry's API, or one under which docker keeps another token, and not for a part of the
  /// registry.
  fileprivate var isOfAPI: Bool {
    query != nil || ["/v1/", "/v2/"].contains { path.hasPrefix($0) } || path.hasSuffix("-token")
  }
}

extension Place {
  /// The name under which docker and podman look for a registry, or a part of it.
  fileprivate var registryName: String {
    self == Place(origin) && origin.host == "index.docker.io" && origin.port == 443
      ? "https://index.docker.io/v1/" : name
  }
}
