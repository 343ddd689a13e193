import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A home with accounts, a server, and a keyring, in which commands are tortured.
///
/// Besides the account that a command is about there is another one, which must never change.
struct TortureScene {
  let server: StrictServer
  let keyring: GnomeKeyring?
  /// The one in which a command runs now.
  private(set) var home: AcctHome
  /// The one with the other account.
  private let inhabited: AcctHome

  static let bystander = "bob"
  static let bystanderToken = "bystander-Eiseeshu7ohd"

  init(in keyring: GnomeKeyring? = nil) async throws {
    // The tests' curl does not learn nonces.
    server = try await StrictServer(["rs_nonce": false, "subject": "alice"])
    self.keyring = keyring
    inhabited = if let keyring { try AcctHome(in: keyring) } else { try AcctHome() }
    home = inhabited
    let bystander = try await add(
      """
      {"access_token":"\(Self.bystanderToken)","token_type":"Bearer","expires_in":86400,
       "handle":"bob.example.com","issuer":"https://issuer.example",
       "origins":["https://pds.example"]}
      """,
      "--name",
      Self.bystander
    ).run()
    try #require(bystander.status == 0, "\(bystander.errorText)")
  }

  /// Moves to a home that is empty, as before the first `add`.
  mutating func startAnew() throws {
    home = if let keyring { try AcctHome(in: keyring) } else { try AcctHome(hasVault: false) }
  }

  /// Comes back to the home with the other account.
  mutating func comeHome() { home = inhabited }

  func add(_ credentials: String, _ options: String...) -> ChildProcess {
    home.command(["add", "--import", "-"] + options, input: credentials)
  }

  /// Credentials of alice's, and the token in them.
  func issue(expired: Bool = false) async throws -> (file: String, token: String) {
    let request: JSON = ["dpop": true, "sub": "alice", "expires_in": expired ? -10 : 3600]
    let file = try await server.issue(request)
    let token = try JSON(parsing: Array(file.utf8)).objectValue?["access_token"]?.stringValue
    return (file, try #require(token))
  }

  /// Adds alice, or gives her new credentials.
  @discardableResult
  func addAlice(expired: Bool = false) async throws -> String {
    let issued = try await issue(expired: expired)
    let added = try await add(issued.file, "--name", "alice", "--replace").run()
    try #require(added.status == 0, "\(added.errorText)")
    return issued.token
  }

  /// Removes alice if she is there.
  func removeAlice() async throws {
    let removed = try await home.acct("remove", "--local", "alice")
    try #require([0, 5].contains(removed.status), "\(removed.errorText)")
  }

  /// The token that a command prints for alice, or `nil` if she is not there.
  func aliceToken() async throws -> String? {
    let token = try await home.acct("token", "--offline", "-a", "alice")
    try #require([0, 5].contains(token.status), "\(token.errorText)")
    return token.status == 0 ? String(token.text.dropLast()) : nil
  }

  /// The names of the accounts, and of the active one; damaged files are a failure.
  func names() async throws -> (all: [String], active: String?) {
    let listed = try await home.acct("list", "--json")
    try #require(listed.status == 0, "\(listed.errorText)")
    #expect(listed.errorText.isEmpty)
    let json = try #require(try JSON(parsing: listed.standardOutput).objectValue)
    let accounts = try #require(json["accounts"]?.arrayValue).compactMap(\.objectValue)
    let active = accounts.first { $0["active"] == true }
    #expect(json["active"] == active?["id"] ?? .null)
    return (accounts.compactMap { $0["name"]?.stringValue }, active?["name"]?.stringValue)
  }

  /// What alice's tokens are for.
  var url: String { "\(server.resource)/resource" }

  /// Whether the resource server takes alice's token with a proof by her key.
  func aliceIsServed() async throws -> Bool {
    let header = try await home.acct("header", "-a", "alice", url)
    guard header.status == 0 else { return false }
    let answer = try await ChildProcess("curl", ["-sS", "--noproxy", "*", "-H", "@-", url], input: header.text).run()
    return try JSON(parsing: answer.standardOutput).objectValue?["sub"] == "alice"
  }
}
