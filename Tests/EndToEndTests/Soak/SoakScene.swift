import AcctTestSupport
import StrictJSON
import Testing

/// Eight accounts of every kind in one home, on a real keyring, and the servers that they are at.
struct SoakScene: Sendable {
  let keyring: GnomeKeyring
  let home: AcctHome
  /// A server of tokens that are bound to keys, and one of bearer tokens.
  let strict: StrictServer
  let plain: StrictServer
  let sessions: SessionBackend
  let guests: GuestBackend
  private(set) var accounts: [SoakAccount] = []
  /// The machine's clock, in seconds ahead of the servers', and its disk.
  let machine = SoakMachine()

  /// In seconds; half of it is over when a token is due.
  private static let lifetime: JSON = 10

  init() async throws {
    keyring = try GnomeKeyring()
    home = try AcctHome(in: keyring, at: machine.disk)
    strict = try await StrictServer(["rs_nonce": false, "lifetime": Self.lifetime])
    plain = try await StrictServer(["dpop": "off", "lifetime": Self.lifetime])
    sessions = try await SessionBackend(["lifetime": Self.lifetime, "roll": true])
    guests = try await GuestBackend(["lifetime": 86_400])

    for subject in ["d1", "d2", "d3", "d4", "d5"] {
      try #require(try await add(try await dpopFile(subject)).status == 0)
      try await note(.oauth, subject, "\(strict.resource)/resource")
    }
    try #require(try await add(try await plain.issue(["sub": "b1"])).status == 0)
    try await note(.oauth, "b1", "\(plain.resource)/resource")
    try await SessionScene(at: sessions, in: home).signIn()
    try await note(.session, nil, "\(sessions.address)/api/anything")
    try #require(try await home.acct("add", "--guest", guests.origin).status == 0)
    try await note(.guest, nil, "\(guests.origin)/api/anything")
  }

  /// Credentials of a new session of a user whose account has a key.
  func dpopFile(_ subject: String) async throws -> String {
    try await strict.issue(["dpop": true, "sub": .string(subject)])
  }

  /// Imports credentials without a terminal for prompts.
  func add(_ credentials: String) async throws -> ChildProcess.Output {
    try await command(["add", "--import", "-", "--replace", "--no-input"], input: credentials).run(limit: Self.limit)
  }

  /// A command by the machine's clock, or by one that is so many seconds ahead.
  func command(_ arguments: [String], input: String = "", ahead: Int? = nil) -> ChildProcess {
    let ahead = ahead ?? machine.secondsAhead
    var command = ahead == 0 ? home.command(arguments) : home.command(secondsAhead: ahead, arguments)
    command.input = Array(input.utf8)
    return command
  }

  /// Far longer than any command may take: a queue of 30 behind a frozen keyring.
  static let limit = Duration.seconds(300)

  /// Remembers the account that was added last.
  private mutating func note(_ kind: SoakAccount.Kind, _ subject: String?, _ url: String) async throws {
    let known = accounts.map(\.id)
    let ids = try await home.accounts().compactMap { $0["id"]?.stringValue }
    let id = try #require(ids.first { !known.contains($0) })
    accounts.append(SoakAccount(id: id, kind: kind, subject: subject, url: url))
  }
}
