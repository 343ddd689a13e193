import AcctTestSupport
import StrictJSON
import Testing

/// A home as an acct of some version has left it (`Tests/Homes`), in the hands of this version.
struct OldHome {
  let home: AcctHome
  /// The folder with its `.acct`, and with the `.env` file that has been rewritten.
  let work: String
  private let version: String
  private let folder: TemporaryFolder
  private let server: StrictServer

  /// Copies a home.
  ///
  /// - Parameters:
  ///   - version: The name of its folder.
  ///   - engine: What its shared keyring is on, with all that it had there.
  /// - Throws: What starting processes throws.
  init(_ version: String, on engine: (any SharedEngine)? = nil) async throws {
    self.version = version
    folder = try TemporaryFolder()
    work = "\(folder.path)/work"
    home = try AcctHome(with: engine == nil ? [:] : ["ACCT_KEYRING": "auto"], hasVault: false)
    server = try await StrictServer()
    _ = try await server.issue([
      "refresh_token": "made-up-refresh-token-of-carol", "scope": "notes:read",
      "jwk": [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      ],
    ])
    let source = Product.source("Tests/Homes/\(version)")
    let places = [("http://127.0.0.1:47113", server.issuer), ("/made-up/.env", "\(work)/.env")] + (engine?.moved ?? [])
    try await Self.run(
      "cp -r \"$0/home\" \"$1\"; cp -r \"$0/work\" \"$2\"; chmod -R go= \"$1\" \"$2\"; shift 2; "
        + "find \"$home\" -name '*.json' -exec sed -i \"$@\" {} +",
      [source, home.path, work] + places.flatMap { ["-e", "s#\($0)#\($1)#g"] },
      ["home": home.path]
    )
  }

  private static func run(_ script: String, _ words: [String], _ variables: [String: String]) async throws {
    let environment = ChildProcess.plainEnvironment.merging(variables) { $1 }
    let done = try await ChildProcess("sh", ["-euc", script] + words, environment: environment).run()
    try #require(done.status == 0, "\(done.errorText)")
  }

  /// Runs acct there; it has to succeed.
  @discardableResult
  func acct(_ words: String..., in folder: String? = nil, at home: AcctHome? = nil) async throws -> String {
    var command = (home ?? self.home).command(words + ["--no-input"])
    command.workingDirectory = folder
    let output = try await command.run()
    try #require(output.status == 0, "\(version): \(words): \(output.errorText)")
    return output.text
  }

  /// The names of accounts, the active one with a star.
  func names(at other: AcctHome? = nil) async throws -> String {
    try await (other ?? home).accounts().map { account in
      (account["active"] == true ? "*" : "") + (account["name"]?.stringValue ?? "")
    }.joined(separator: " ")
  }

  /// A new home with a vault, and what a file of accounts brings into it.
  func importing(_ export: String) async throws -> AcctHome {
    let other = try AcctHome()
    let passphrase = try folder.file("passphrase", containing: "\(AcctHome.passphrase)\n")
    try await acct("add", "--import", export, "--passphrase-file", passphrase, at: other)
    return other
  }

  /// The exported accounts of the version itself.
  var export: String { Product.source("Tests/Homes/\(version)/export") }

  /// Exports all accounts by this version.
  func exportAnew() async throws -> String {
    let passphrase = try folder.file("passphrase", containing: "\(AcctHome.passphrase)\n")
    let file = "\(folder.path)/export"
    try await acct("export", "--all", "-o", file, "--passphrase-file", passphrase)
    return file
  }

  /// Adds an account of this server's whose token is to be renewed: its own address is sealed in those of a shared keyring.
  func addExpired(_ name: String) async throws {
    let credentials = try await server.issue(["sub": .string(name), "dpop": true, "expires_in": -10])
    let file = try folder.file("credentials", containing: credentials)
    try await acct("add", "--import", file, "--name", name, "--no-switch")
  }

  /// How many of the renewals that acct asked for the server has made.
  func renewals() async throws -> Int64? { try await server.counts()["refreshes"] }
}

extension SharedEngine {
  /// What stands in the settings of a home in `Tests/Homes`, and what stands there for this engine.
  fileprivate var moved: [(String, String)] {
    place[0] == "etcd"
      ? [
        ("https://127.0.0.1:47117", place[1].replacing(",", with: "\",\"")), ("/made-up/acct.pem", place[3]),
        ("/made-up/acct.key", place[5]), ("/made-up/ca.pem", place[7]),
      ] : [("host=127.0.0.1 port=47119[^\"]*", place[1]), ("/made-up/password", place[3])]
  }
}
