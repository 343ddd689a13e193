import AcctTestSupport

/// A container registry of a test's own, Debian's `docker-registry`, for two users.
///
/// It serves plain http on loopback, and takes no request without a user's password.
struct Registry {
  static let user = "alice"
  static let password = "made-up-registry-password"
  /// Another user, whose password has a blank and a letter beyond ASCII.
  static let (otherUser, otherPassword) = ("bob", "zwei w\u{F6}rter")
  /// Both in the form that the registry reads: bcrypt, at its lowest cost.
  private static let hashed = """
    alice:$2y$04$.qx4gDwI3he7vUNElbCs4OnszWxd2710NnAOOCw3rV6Y8gJKRrOx6
    bob:$2y$04$gE/GNSU2ktb9Evdsokl9p.QVJ.2IROqA3sXfVSjK8ePRrQXaXSheS

    """

  private let folder: TemporaryFolder
  private let process: RunningProcess
  private let port: FreePort
  /// An image, ready to be copied.
  let image: String
  /// What a program of containers reads: that acct knows this registry's password.
  let settings: String

  /// As programs of containers name it.
  var host: String { "127.0.0.1:\(port.number)" }
  var origin: String { "http://\(host)" }

  /// Starts a registry, and returns when it serves.
  init() async throws {
    folder = try TemporaryFolder()
    port = try FreePort()
    let users = try folder.file("htpasswd", containing: Self.hashed)
    // JSON is YAML, too.
    let configuration = try folder.file(
      "config.yml",
      containing: """
        {"version": "0.1", "log": {"level": "error", "accesslog": {"disabled": true}},
         "storage": {"filesystem": {"rootdirectory": "\(folder.path)/data"}},
         "http": {"addr": "127.0.0.1:\(port.number)", "secret": "made-up"},
         "auth": {"htpasswd": {"realm": "registry", "path": "\(users)"}}}
        """
    )
    process = try RunningProcess(ChildProcess("docker-registry", ["serve", configuration]))
    let port = port
    try await process.ready { port.isServed }
    image = "\(folder.path)/image"
    try await python("Tests/Recipes/image.py", image).mustHaveWorked()
    settings = try folder.file("auth.json", containing: #"{"credHelpers": {"127.0.0.1:\#(port.number)": "acct"}}"#)
  }

  func stop() async { await process.stop() }

  /// skopeo as a user of acct runs it, with nothing configured but the helper.
  func skopeo(_ home: AcctHome, _ arguments: String..., input: String = "") async throws -> ChildProcess.Output {
    // No policy: which signatures an image needs is not what is on trial.
    try await home.program(
      "skopeo",
      ["--insecure-policy"] + arguments,
      with: ["REGISTRY_AUTH_FILE": settings],
      input: input
    ).run()
  }

  /// podman as a user of acct runs it, with nothing configured but the helper.
  func podman(_ home: AcctHome, _ arguments: String..., input: String = "") async throws -> ChildProcess.Output {
    try await home.program("podman", arguments, with: ["REGISTRY_AUTH_FILE": settings], input: input).run()
  }

  /// Looks at an image that may not be there: without rights, no one can tell.
  func inspect(_ home: AcctHome) async throws -> ChildProcess.Output {
    try await skopeo(home, "inspect", "--tls-verify=false", "docker://\(host)/notes:latest")
  }

  func push(_ home: AcctHome) async throws -> ChildProcess.Output {
    try await skopeo(home, "copy", "--dest-tls-verify=false", "oci:\(image)", "docker://\(host)/notes:latest")
  }
}
