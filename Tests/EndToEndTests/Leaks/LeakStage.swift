import AcctTestSupport
import StrictJSON
import Testing

/// Servers of every kind and a home for their accounts, where every secret is known.
final class LeakStage {
  let server: StrictServer
  let guests: GuestBackend
  let sessions: SessionBackend
  let watch: LeakWatch
  let callback: String
  let folder: TemporaryFolder
  /// Files with the passphrase of exports, and with another one.
  let passphraseFile: String
  let wrongPassphraseFile: String

  /// A file with a static token, and one with the same token and a line too many.
  let tokenFile: String
  let envFile: String
  let wrongTokenFile: String
  /// Files of other programs with that token.
  let gitFile: String
  let netrcFile: String
  let dockerFile: String
  /// Files with the secret of a client, with the key of another one, and with a key that the server does not take.
  let clientSecretFile: String
  let clientKeyFile: String
  let rsaKeyFile: String

  static let clientSecret = "made-up-secret-of-a-client"
  static let exportPassphrase = "made up, for an export"
  /// Of 32 bytes, as `ACCT_VAULT_KEY_FILE` has to have.
  static let sharedKey = "made-up-key-of-a-shared-keyring!"
  static let staticToken = "made-up-static-token-of-a-server"

  /// - Parameters:
  ///   - subject: What is looked at.
  ///   - keyring: Where secrets are kept; a vault without one.
  ///   - makesVault: Whether the first row makes the vault, at the cost that every user pays.
  ///   - shares: Whether the first row makes a keyring that several machines share.
  /// - Throws: What starting servers throws.
  init(
    _ subject: LeakWatch.Subject,
    in keyring: GnomeKeyring? = nil,
    makesVault: Bool = false,
    shares: Bool = false
  ) async throws {
    folder = try TemporaryFolder()
    server = try await StrictServer([
      "device_interval": 1, "device_approve_after": 0, "rs_nonce": false,
      "clients": [
        "acct-test": ["redirect_uris": ["http://127.0.0.1/callback"]],
        "another": ["redirect_uris": []],
        "confidential": ["redirect_uris": [], "secret": .string(Self.clientSecret), "auth": "post"],
        "basic": ["redirect_uris": [], "secret": .string(Self.clientSecret), "auth": "basic"],
        "keyed": ["redirect_uris": [], "key": MadeUpKeys.p256Public],
        "robot": ["redirect_uris": [], "key": MadeUpKeys.p256Public],
      ],
    ])
    guests = try await GuestBackend()
    callback = "http://127.0.0.1:\(try FreePort().number)/callback"
    sessions = try await SessionBackend(["callback": .string(callback)])
    let keyFile = try folder.file("shared-key", containing: Self.sharedKey)
    let home =
      if let keyring {
        try AcctHome(in: keyring)
      } else if shares {
        // A vault, to which accounts can be moved, has a passphrase.
        try AcctHome(
          sharingUnder: keyFile,
          with: ["ACCT_VAULT_PASSPHRASE_FILE": try folder.file("vault", containing: AcctHome.passphrase)]
        )
      } else {
        try AcctHome(hasVault: !makesVault)
      }
    watch = LeakWatch(subject, of: home, in: keyring, isShared: shares)
    watch.secrets.add("shared_key", Self.sharedKey)
    passphraseFile = try folder.file("passphrase", containing: "\(Self.exportPassphrase)\n")
    wrongPassphraseFile = try folder.file("wrong", containing: "another passphrase")
    tokenFile = try folder.file("token", containing: "\(Self.staticToken)\n")
    envFile = try folder.file("env", containing: "PORT=1\nMISTRAL_API_KEY='\(Self.staticToken)' # a key\n")
    wrongTokenFile = try folder.file("token-and-more", containing: "\(Self.staticToken)\nmore\n")
    gitFile = try folder.file("git", containing: "http://bob:\(Self.staticToken)@\(guests.origin.dropFirst(7))\n")
    netrcFile = try folder.file(
      "netrc",
      containing: "machine elsewhere.example login alice password \"\(Self.staticToken)\"\n"
    )
    dockerFile = try folder.file(
      "docker",
      containing: #"{"auths":{"elsewhere.example":{"username":"carol","password":"\#(Self.staticToken)"}}}"#
    )
    watch.secrets.add("export_passphrase", Self.exportPassphrase)
    watch.secrets.add("static_token", Self.staticToken)
    clientSecretFile = try folder.file("client-secret", containing: "\(Self.clientSecret)\n")
    watch.secrets.add("client_secret", Self.clientSecret)
    clientKeyFile = try folder.file("client-key", containing: "\(MadeUpKeys.p256)\n")
    rsaKeyFile = try folder.file("rsa-key", containing: "\(MadeUpKeys.rsa)\n")
    for number in MadeUpKeys.privateNumbers { watch.secrets.add("client_key", number) }
    for line in MadeUpKeys.privateLines { watch.secrets.add("client_key_text", line) }
    watch.destinations = [
      "access_token": [server.resource, server.issuer], "sealed_session": [sessions.address],
      "guest_token": [guests.origin], "static_token": [guests.origin],
    ]
    for kind in ["refresh_token", "code", "code_verifier", "device_code", "client_secret"] {
      watch.destinations[kind] = [server.issuer]
    }
  }

  var home: AcctHome { watch.home }

  /// A file to import: a session of the server's.
  func session(of subject: String, _ request: JSONObject = [:]) async throws -> JSONObject {
    var request = request
    request["dpop"] = true
    request["client_id"] = "acct-test"
    request["sub"] = .string(subject)
    let issued = try JSON(parsing: Array(try await server.issue(.object(request)).utf8))
    try watch.note(issued["dpopKey"])
    return try #require(issued.objectValue)
  }

  /// Runs rows, one after the other, to be looked through by ``expectNoLeaks(_:)``.
  func run(_ rows: some Sequence<LeakRow>, _ location: SourceLocation = #_sourceLocation) async throws {
    for row in rows {
      if let fault = row.fault { try await server.fault(fault) }
      try await watch.run(row, browser: StrictServer.browser, location)
      if row.fault != nil { try await server.fault(nil) }
    }
  }

  /// Asserts that no run so far showed a secret except to its owner, or stored one.
  func expectNoLeaks(_ location: SourceLocation = #_sourceLocation) async throws {
    watch.secrets.add(try await server.secrets())
    watch.secrets.add(try await guests.secrets())
    watch.secrets.add(try await sessions.secrets())
    try await watch.expectNoLeaks(location)
  }
}
