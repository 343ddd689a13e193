import AcctTestSupport
import StrictJSON
import Testing

/// Machines that share a keyring on a real engine, and the authorization server of its accounts.
struct Fleet: Sendable {
  let kind: EngineKind
  let engine: any SharedEngine
  let server: StrictServer
  /// One on each machine.
  let homes: [AcctHome]
  /// The keyring's name, which no other fleet's has: they may use one engine.
  let name = "main-\(String(UInt32.random(in: .min ... .max), radix: 16))"
  let folder: TemporaryFolder
  /// The keyring's key.
  let key: [UInt8]

  /// Each refresh token is good for one use, and a second use ends the session.
  ///
  /// - Parameters:
  ///   - kind: What the keyring is on.
  ///   - engine: A running one; that of the suite without it.
  ///   - machines: How many.
  ///   - settings: Those of the authorization server.
  /// - Throws: What starting processes throws.
  init(
    on kind: EngineKind,
    _ engine: (any SharedEngine)? = nil,
    machines: Int = 3,
    _ settings: JSON = ["dpop": "off", "keep_alive": false]
  ) async throws {
    self.kind = kind
    if let engine { self.engine = engine } else { self.engine = try await kind.ofSuite() }
    server = try await StrictServer(settings)
    folder = try TemporaryFolder()
    key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    let keyFile = try folder.file("key", containing: key)
    var homes: [AcctHome] = []
    for number in 0..<machines {
      let machine = try await SeparateMachine()
      let home = try AcctHome(sharingUnder: keyFile, on: machine)
      let verb = number == 0 ? "create" : "join"
      let words = ["keyring", verb] + self.engine.place + ["--name", name, "--no-input"]
      let joined = try await home.command(words).run()
      try #require(joined.status == 0, "\(verb): \(joined.errorText)")
      homes.append(home)
    }
    self.homes = homes
  }

  /// Adds an account on the first machine, or replaces its credentials there; its token has expired.
  func importExpired(_ subject: String = "user-1") async throws {
    try await importing(["sub": .string(subject), "expires_in": -10])
  }

  /// The same for whatever session the server is asked for.
  ///
  /// The account has the name of its user.
  func importing(_ request: JSON) async throws {
    let name = request["sub"]?.stringValue ?? "user-1"
    let credentials = try await server.issue(request)
    let file = try folder.file("credentials-\(name)", containing: credentials)
    let words = ["add", "--import", file, "--name", name, "--replace", "--no-input"]
    let added = try await homes[0].command(words).run()
    try #require(added.status == 0, "\(added.errorText)")
    for home in homes.dropFirst() { _ = try await home.accounts() }
  }

  /// A command line for an account's token on a machine.
  func token(of subject: String = "user-1", on machine: Int, timeout: Int = 30) -> ChildProcess {
    homes[machine].command(["token", "-a", subject, "--no-input", "--timeout", "\(timeout)"])
  }

  /// Lets the server hold the next request for a token: before it takes effect, or between that and the answer.
  func hold(afterEffect: Bool = false) async throws {
    try await server.fault(["endpoint": "token", "kind": "delay", "process": .bool(afterEffect), "count": 1])
  }

  /// Asserts how many refresh tokens the server has taken, and that none came twice.
  func expect(refreshes: Int64, _ location: SourceLocation = #_sourceLocation) async throws {
    let counts = try await server.counts()
    #expect(counts["refreshes"] == refreshes, sourceLocation: location)
    #expect(counts["replays"] == 0, sourceLocation: location)
  }
}
