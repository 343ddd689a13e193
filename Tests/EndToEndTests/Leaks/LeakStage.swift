import AcctTestSupport
import StrictJSON
import Testing

/// Servers of every kind and a home for their accounts, where every secret is known.
final class LeakStage {
  let server: StrictServer
  let guests: GuestBackend
  let sessions: SessionBackend
  let home: AcctHome
  let callback: String
  let folder: TemporaryFolder
  /// Files with the passphrase of exports, and with another one.
  let passphraseFile: String
  let wrongPassphraseFile: String
  var secrets = GivenSecrets()
  var runs: [(LeakRow, TracedRun)] = []
  var remembered: [(LeakRow, RememberedRun)] = []
  private let busPath: String?

  private static let exportPassphrase = "made up, for an export"

  /// - Parameter keyring: Where secrets are kept; a vault without one.
  /// - Throws: What starting servers throws.
  init(in keyring: GnomeKeyring? = nil) async throws {
    folder = try TemporaryFolder()
    server = try await StrictServer([
      "device_interval": 1, "device_approve_after": 0, "rs_nonce": false,
      "clients": [
        "acct-test": ["redirect_uris": ["http://127.0.0.1/callback"]],
        "another": ["redirect_uris": []],
      ],
    ])
    guests = try await GuestBackend()
    callback = "http://127.0.0.1:\(try FreePort().number)/callback"
    sessions = try await SessionBackend(["callback": .string(callback)])
    home = if let keyring { try AcctHome(in: keyring) } else { try AcctHome() }
    busPath = keyring.map { String($0.busAddress.dropFirst("unix:path=".utf8.count)) }
    passphraseFile = try folder.file("passphrase", holding: "\(Self.exportPassphrase)\n")
    wrongPassphraseFile = try folder.file("wrong", holding: "another passphrase")
    secrets.add("vault_passphrase", AcctHome.passphrase)
    secrets.add("export_passphrase", Self.exportPassphrase)
  }

  /// A file to import: a session of the server's.
  func session(of subject: String, _ wish: JSONObject = [:]) async throws -> JSONObject {
    var wish = wish
    wish["dpop"] = true
    wish["client_id"] = "acct-test"
    wish["sub"] = .string(subject)
    let issued = try JSON(parsing: Array(try await server.issue(.object(wish)).utf8))
    try note(issued["dpopKey"])
    return try #require(issued.objectValue)
  }

  /// Takes note of the private part of a key.
  func note(_ jwk: JSON?) throws {
    secrets.add("key", try #require(jwk?["d"]?.stringValue))
  }

  /// Runs a row under a trace, to be looked through by ``expectNoLeaks(_:)``.
  func run(_ row: LeakRow, _ location: SourceLocation = #_sourceLocation) async throws {
    if let fault = row.fault {
      var json: JSONObject = ["endpoint": .string(fault.endpoint), "kind": .string(fault.kind)]
      json["status"] = fault.status.map { .number(JSONNumber($0)) }
      try await server.fault(.object(json))
    }
    let run = try await TracedRun(command(row))
    #expect(
      run.output.status == row.status,
      "\(row): \(run.output.errorText)",
      sourceLocation: location
    )
    if row.fault != nil { try await server.fault(nil) }
    try await noteKeys(after: row)
    runs.append((row, run))
  }

  /// Asserts that no run so far showed a secret to anybody but whose it is.
  func expectNoLeaks(_ location: SourceLocation = #_sourceLocation) async throws {
    try await noteServers()
    let sightings = try await TracedRun.sightings(of: secrets, in: runs.map(\.1))
    try #require(sightings.count == runs.count)
    for ((row, _), seen) in zip(runs, sightings) {
      let strays = seen.filter { !isAtHome($0, row) }
      #expect(strays.isEmpty, "\(row)", sourceLocation: location)
      // Where showing it is its purpose, it does.
      for (kind, place) in row.shows {
        #expect(seen.contains { $0.kind == kind && $0.place == place }, "\(row)")
      }
    }
  }

  /// Runs a row to its end and keeps its memory, for ``expectNothingLeft(_:)``.
  func remember(_ row: LeakRow) async throws {
    let run = try await RememberedRun(command(row))
    try #require(run.output.status == row.status, "\(row): \(run.output.errorText)")
    try await noteKeys(after: row)
    remembered.append((row, run))
  }

  /// Asserts that no memory that was kept holds a secret, but one that its command still needs.
  func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) async throws {
    try await noteServers()
    let sightings = try await RememberedRun.sightings(of: secrets, in: remembered.map(\.1))
    try #require(sightings.count == remembered.count)
    for ((row, _), seen) in zip(remembered, sightings) {
      let left = seen.filter { row.keeps != $0.kind }
      #expect(left.isEmpty, "\(row)", sourceLocation: location)
    }
  }

  /// A row as a command line.
  func command(_ row: LeakRow) -> ChildProcess {
    var command = home.command(row.arguments, input: row.input)
    command.environment["BROWSER"] = row.browses ? StrictServer.browser : nil
    return command
  }

  /// Takes note of what servers have given out, and been given.
  func noteServers() async throws {
    secrets.add(try await server.secrets())
    secrets.add(try await guests.secrets())
    secrets.add(try await sessions.secrets())
  }

  /// Takes note of the keys that acct has made.
  private func noteKeys(after row: LeakRow) async throws {
    guard row.command == "add", row.status == 0 else { return }
    for account in try await home.accounts() where account["tokenType"] == "DPoP" {
      let id = account["id"]?.stringValue ?? ""
      let shown = try await home.acct("key", "show", "--private", id)
      try note(try JSON(parsing: shown.standardOutput))
    }
  }

  private func isAtHome(_ sighting: Sighting, _ row: LeakRow) -> Bool {
    if row.shows[sighting.kind] == sighting.place { return true }
    if let busPath, sighting.place == "unix \(busPath)" { return Self.kept.contains(sighting.kind) }
    return destinations(of: sighting.kind).contains { url in
      sighting.place == "tcp \(url.dropFirst("http://".utf8.count))"
    }
  }

  /// What a keyring is given.
  private static let kept: Set = [
    "access_token", "refresh_token", "key", "sealed_session", "guest_token",
  ]

  /// The origins that a kind of secret may be sent to.
  private func destinations(of kind: String) -> [String] {
    switch kind {
    case "access_token": [server.resource, server.issuer]
    case "refresh_token", "code", "code_verifier", "device_code": [server.issuer]
    case "sealed_session": [sessions.address]
    case "guest_token": [guests.origin]
    default: []
    }
  }
}
