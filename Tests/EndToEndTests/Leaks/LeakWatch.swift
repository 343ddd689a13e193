import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// Runs of acct in one home, of which either everything is seen that they ask of the kernel, or what
/// is in their memory at their end.
final class LeakWatch {
  enum Subject { case calls, memory }

  let home: AcctHome
  var secrets = GivenSecrets()
  /// The origins that a kind of secret may be sent to.
  var destinations: [String: [String]] = [:]
  /// What has been run so far.
  private(set) var rows: [LeakRow] = []
  /// What runs acct in its turn, for memory alone: a program and its first arguments.
  var runner: [String] = []
  private let subject: Subject
  private let busPath: String?
  private let isShared: Bool
  private var traced: [TracedRun] = []
  private var remembered: [RememberedRun] = []

  /// - Parameters:
  ///   - subject: What is looked at.
  ///   - home: Whose accounts are used.
  ///   - keyring: Where their secrets are kept; a vault without one.
  ///   - isShared: Whether they are in a keyring that several machines share.
  init(_ subject: Subject, of home: AcctHome, in keyring: GnomeKeyring? = nil, isShared: Bool = false) {
    self.subject = subject
    self.home = home
    self.isShared = isShared
    busPath = keyring.map { String($0.busAddress.dropFirst("unix:path=".utf8.count)) }
    secrets.add("vault_passphrase", AcctHome.passphrase)
  }

  /// Runs a row to its end.
  ///
  /// - Parameters:
  ///   - row: What is to be run.
  ///   - browser: Where the user's browser is, if it is not the home's own.
  ///   - input: What it reads from, in place of the row's input.
  ///   - location: Whose the failure is if its status is another one.
  ///   - meanwhile: Is called with the process while it runs.
  /// - Throws: What starting it throws, and what `meanwhile` does.
  func run(
    _ row: LeakRow,
    browser: String? = nil,
    from input: (any LiveInput)? = nil,
    _ location: SourceLocation = #_sourceLocation,
    _ meanwhile: (RunningProcess) async throws -> Void = { _ in }
  ) async throws {
    var command = home.command(row.arguments, input: row.input)
    if let browser { command.environment["BROWSER"] = browser }
    if row.mood == nil { command.environment["BROWSER"] = nil }
    command.environment["STRICT_BROWSER"] = row.mood
    let output: ChildProcess.Output
    switch subject {
    case .calls:
      let run = try await TracedRun(command, from: input) { process in
        try await meanwhile(process)
        if row.isEndless { process.send(SIGTERM) }
      }
      traced.append(run)
      output = run.output
    case .memory:
      let run = try await RememberedRun(command.run(by: runner), from: input) {
        process,
        remember in
        try await meanwhile(process)
        guard row.isEndless else { return }
        try await remember()
        process.send(SIGTERM)
      }
      remembered.append(run)
      output = run.output
    }
    rows.append(row)
    #expect(output.status == row.status, "\(row): \(output.errorText)", sourceLocation: location)
    try await noteKeys(after: row)
  }

  /// Asserts that no run so far showed a secret except to its owner, or stored one.
  func expectNoLeaks(_ location: SourceLocation = #_sourceLocation) async throws {
    switch subject {
    case .calls:
      let sightings = try await TracedRun.sightings(of: secrets, in: traced)
      try #require(sightings.count == rows.count)
      for (row, seen) in zip(rows, sightings) {
        let strays = seen.filter { !isAtHome($0, row) }
        #expect(strays.isEmpty, "\(row)", sourceLocation: location)
        // Where showing it is its purpose, it does.
        for (kind, places) in row.shows {
          let shown = Set(seen.filter { $0.kind == kind }.map(\.place))
          #expect(shown.isSuperset(of: places), "\(row): \(kind)", sourceLocation: location)
        }
      }
    case .memory:
      let sightings = try await RememberedRun.sightings(of: secrets, in: remembered)
      try #require(sightings.count == rows.count)
      for (row, seen) in zip(rows, sightings) {
        let left = seen.filter { !row.keeps.contains($0.kind) }
        #expect(left.isEmpty, "\(row)", sourceLocation: location)
      }
    }
  }

  /// Takes note of the private part of a key.
  func note(_ jwk: JSON?) throws { secrets.add("key", try #require(jwk?["d"]?.stringValue)) }

  /// Takes note of the keys that acct has made.
  private func noteKeys(after row: LeakRow) async throws {
    guard row.command == "add", row.status == 0 else { return }
    try await noteVaultKeys()
    for account in try await home.accounts() where account["tokenType"] == "DPoP" {
      let id = account["id"]?.stringValue ?? ""
      let shown = try await home.acct("key", "show", "--private", id)
      try #require(shown.status == 0, "\(row): \(shown.errorText)")
      try note(try JSON(parsing: shown.standardOutput))
    }
  }

  /// Takes note of what a vault is encrypted with, once.
  private func noteVaultKeys() async throws {
    guard busPath == nil, !isShared, secrets.count(of: "vault_key") == 0 else { return }
    let script = Product.source("Tests/Leaks/vault_keys.py")
    let header = "\(home.path)/data/vault/header"
    let keys = try await ChildProcess(Sighting.python, ["-B", script, header, AcctHome.passphrase]).run()
    try #require(keys.status == 0, "\(keys.errorText)")
    secrets.add(GivenSecrets(try JSON(parsing: keys.standardOutput)))
  }

  private func isAtHome(_ sighting: Sighting, _ row: LeakRow) -> Bool {
    if row.shows[sighting.kind]?.contains(sighting.place) == true { return true }
    // The kernel's own store, in which the vault's key rests.
    if sighting.kind == "vault_key", Self.kernelStore.contains(sighting.place) { return true }
    if let busPath, sighting.place == "unix \(busPath)" { return Self.kept.contains(sighting.kind) }
    return (destinations[sighting.kind] ?? []).contains { url in
      sighting.place == "tcp \(url.dropFirst("http://".utf8.count))"
    }
  }

  private static let kernelStore: Set = ["call add_key", "call keyctl"]

  /// What a keyring is given.
  private static let kept: Set = [
    "access_token", "refresh_token", "key", "sealed_session", "guest_token", "static_token",
    "client_secret", "client_key",
  ]
}
