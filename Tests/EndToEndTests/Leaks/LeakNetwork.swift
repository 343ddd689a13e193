import AcctTestSupport
import StrictJSON
import Testing

/// An AT Protocol network, and a backend that hands over tokens of it.
final class LeakNetwork {
  let network: ATProtoNetwork
  let backend: HandoffBackend
  let watch: LeakWatch
  private let callback: String
  private let desktop: TemporaryFolder

  /// - Parameter subject: What is searched.
  /// - Throws: What starting servers throws.
  init(_ subject: LeakWatch.Subject) async throws {
    network = try await ATProtoNetwork()
    backend = try await HandoffBackend(on: network)
    callback = "http://127.0.0.1:\(try FreePort().number)/callback"
    desktop = try TemporaryFolder()
    let home = try network.home(with: [
      "HOME": desktop.path, "XDG_DATA_HOME": "\(desktop.path)/data",
      "XDG_CONFIG_HOME": "\(desktop.path)/config",
    ])
    watch = LeakWatch(subject, of: home)
    watch.destinations = [
      "access_token": [network["pds"]], "refresh_token": [network["issuer"]],
      "code": [network["issuer"], backend.address], "code_verifier": [network["issuer"]],
    ]
  }

  /// Adds, uses and removes an account from an identity (`me`), and one from a backend (`handed`).
  func runUsed() async throws {
    let url = "\(network["pds"])/xrpc/app.example.get"
    try await signIn(["alice.test", "--name", "me", "-v"])
    try await handOver(["--name", "handed", "--no-switch", "-v"])
    for account in ["me", "handed"] {
      try await watch.run(LeakRow("status", [account, "--check", "-v"]))
      try await watch.run(LeakRow("header", ["-a", account, url, "-v"], shows: ["access_token": ["stdout"]]))
      try await watch.run(LeakRow("request", ["-a", account, url, "-v"]))
      try await watch.run(LeakRow("refresh", [account, "--force", "-v"]))
    }
    try await runUnbelievable()
    try await network.control("end")
    try await watch.run(LeakRow("refresh", ["me", "--force", "--json", "-v"], status: 4))
    try await watch.run(LeakRow("remove", ["me", "-v"]))
    try await watch.run(LeakRow("remove", ["handed", "--json", "-v"]))
    try await runPassedOn()
    try await runPasted()
  }

  /// Sign-ins that end in a refusal, after they have got something.
  private func runUnbelievable() async throws {
    try await signIn(["alice.test", "--json", "-v"], status: 11, mood: "wrong-iss")
    try await signIn(["alice.test", "--json", "-v"], status: 4, mood: "deny")
    for (wrong, status) in [
      (["sub": "did:plc:mallorytestaccountaaaaaa"], 8), (["token_type": "Bearer"], 11), (["scope": "other"], 11),
    ] as [(JSON, Int32)] {
      try await network.set(["token_override": wrong])
      try await signIn(["alice.test", "--json", "-v"], status: status)
    }
    try await network.set(["token_override": [:]])
    try await backend.set(["key": "another"])
    try await handOver(["--json", "-v"], status: 11)
    try await backend.set(["key": "plain", "tokens": ["accessToken": .null]])
    try await handOver(["--json", "-v"], status: 11)
    try await backend.set(["tokens": [:]])
  }

  /// A callback that the desktop passes on by a second acct; it stands in that one's arguments.
  private func runPassedOn() async throws {
    let scheme = "limit://auth"
    try await backend.set(["callback": .string(scheme)])
    let add = LeakRow("add", ["--backend", backend.address, "--callback", scheme, "--no-browser", "-v"])
    let socket = "unix \(watch.home.path)/run/callbacks/limit"
    let input = try OpenInput()
    try await watch.run(add, from: input) { process in
      let waiting = try await WaitingSignIn(process)
      let row = LeakRow(
        "callback",
        [try await waiting.callback(), "-v"],
        shows: ["code": ["call execve", socket]],
        keeps: ["code"]
      )
      try await self.watch.run(row)
    }
  }

  /// A callback that the user pastes.
  private func runPasted() async throws {
    let add = LeakRow("add", ["--backend", backend.address, "--no-browser", "--json", "-v"])
    let input = try OpenInput()
    try await watch.run(add, from: input) { process in try input.type(try await WaitingSignIn(process).callback()) }
  }

  private func signIn(_ arguments: [String], status: Int32 = 0, mood: String = "approve") async throws {
    try await watch.run(LeakRow("add", arguments, status: status, mood: mood))
  }

  private func handOver(_ arguments: [String], status: Int32 = 0) async throws {
    try await backend.set(["callback": .string(callback)])
    let backend = ["--backend", backend.address, "--callback", callback]
    try await signIn(backend + arguments, status: status)
  }

  /// Asserts that no run so far showed a secret to any server but its own, or stored one.
  func expectNoLeaks(_ location: SourceLocation = #_sourceLocation) async throws {
    watch.secrets.add(try await network.secrets())
    watch.secrets.add(try await backend.secrets())
    try await watch.expectNoLeaks(location)
  }
}
