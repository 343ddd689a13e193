import AcctTestSupport
import StrictJSON
import Testing

/// One proxy on a real keyring, and the server behind it, which judges each request and has the clients, too.
struct ProxySoakScene {
  /// Where the accounts are; only the first announces what changes, and is locked.
  enum Place: CaseIterable { case gnomeKeyring, vault }

  private let keyring: GnomeKeyring?
  let proxy: SigningProxyAtWork
  private let home: AcctHome
  private let server: StrictServer
  private let requests: Int

  /// In seconds; half of it is over when a token is due.
  private static let lifetime: JSON = 6
  private static let connections: JSON = 20

  /// Starts the proxy, and has the clients make so many requests of it.
  init(requests: Int, in place: Place) async throws {
    self.requests = requests
    keyring = try place == .gnomeKeyring ? GnomeKeyring() : nil
    home = try keyring.map { try AcctHome(in: $0) } ?? AcctHome()
    server = try await StrictServer(["lifetime": Self.lifetime, "nonce_uses": 1_000], script: "soak_server.py")
    try await Self.signIn("other", at: server, in: home)
    try await Self.signIn("soaked", at: server, in: home)
    proxy = try await SigningProxyAtWork(home)
    try await server.control(
      "soak-begin",
      [
        "socket": .string(proxy.place), "connections": Self.connections,
        "requests": .number(JSONNumber(Int64(requests))),
      ]
    )
  }

  /// Signs in as a user with a new key, which replaces what the account had before.
  private static func signIn(_ user: String, at server: StrictServer, in home: AcctHome) async throws {
    let credentials = try await server.issue(["dpop": true, "sub": .string(user)])
    let added = try await home.acct("add", "--import", "-", "--name", user, input: credentials)
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// What other processes do while the proxy serves.
  enum Change: CaseIterable { case signIn, lock, renewal, switching, rejection }

  /// The changes that this scene has.
  var changes: [Change] { Change.allCases.filter { $0 != .lock || keyring != nil } }

  /// Makes a change, and tells the server what counts from then on.
  func make(_ change: Change) async throws {
    switch change {
    case .signIn:
      try await Self.signIn("soaked", at: server, in: home)
      try await settle()
    case .renewal:
      try await run("refresh", "--force", "soaked")
      try await settle()
    case .rejection: try await server.control("revoke-access", ["sub": "soaked"])
    case .switching:
      try await run("switch", "other")
      try await run("switch", "soaked")
    case .lock:
      try await expectKeyring("changing")
      try keyring?.lock()
      try await expectKeyring("locked")
      try await wait(forMore: 200)
      try await expectKeyring("changing")
      try keyring?.unlock()
      try await expectKeyring("open")
    }
  }

  /// Has the server take nothing older than the token that is stored now.
  private func settle() async throws {
    let token = try await run("token", "-a", "soaked").text
    try await server.control("soak-newest", ["token": .string(String(token.dropLast()))])
  }

  private func expectKeyring(_ state: JSON) async throws { try await server.control("soak-keyring", ["is": state]) }

  @discardableResult
  private func run(_ arguments: String...) async throws -> ChildProcess.Output {
    let output = try await home.command(arguments).run()
    try #require(output.status == 0, "\(arguments): \(output.errorText)")
    return output
  }

  /// Waits until so many more requests have their answers, or all have.
  func wait(forMore count: Int) async throws {
    let answered = min(try await tally().answered + count, requests)
    let wait = try await server.control("soak-wait", ["answered": .number(JSONNumber(Int64(answered)))])
    try #require(wait["reached"] == true, "the proxy does not answer: \(proxy.said)")
  }

  /// What came of the requests so far.
  struct Tally {
    var answered = 0
    /// By status.
    var statuses: [String: Int64] = [:]
    /// How often what happened that must not.
    var wrong: [String: Int64] = [:]
  }

  func tally() async throws -> Tally {
    let tally = try await server.control("soak-tally")
    return Tally(
      answered: Int(tally["answered"]?.numberValue?.integer ?? 0),
      statuses: tally["statuses"]?.objectValue?.numbers ?? [:],
      wrong: tally["wrong"]?.objectValue?.numbers ?? [:]
    )
  }

  func stop() { keyring?.stop() }

  /// How often each thing has happened at the server.
  func counts() async throws -> [String: Int64] { try await server.counts() }
}

extension JSONObject {
  /// Its members that are numbers.
  fileprivate var numbers: [String: Int64] { reduce(into: [:]) { $0[$1.name] = $1.value.numberValue?.integer } }
}
