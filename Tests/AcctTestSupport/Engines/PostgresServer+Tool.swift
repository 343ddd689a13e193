/// What operators do with a server, by its own tools.
extension PostgresServer {
  /// Has its owner run a statement, and returns what it printed.
  ///
  /// - Throws: ``HarnessFailure`` if it is rejected.
  @discardableResult
  package func psql(_ statement: String, database: String = "postgres") async throws -> String {
    let done = try await tool("psql", ["-v", "ON_ERROR_STOP=1", "-Atc", statement], database).run()
    guard done.status == 0 else { throw HarnessFailure("\(statement): \(done.errorText)") }
    return done.text
  }

  /// All that is in acct's database, as SQL.
  package func dump() async throws -> [UInt8] {
    let dumped = try await tool("pg_dump", [], "acct").run()
    guard dumped.status == 0 else { throw HarnessFailure("pg_dump: \(dumped.errorText)") }
    return dumped.standardOutput
  }

  func tool(_ name: String, _ arguments: [String], _ database: String) -> ChildProcess {
    var tool = ChildProcess("\(folder.path)/bin/\(name)", arguments)
    tool.environment.merge([
      "PGHOST": socketFolder, "PGPORT": "\(port)", "PGUSER": "postgres", "PGDATABASE": database,
    ]) { $1 }
    return tool
  }

  /// Waits until it takes connections; one that ended because the last one had not quite is started again.
  ///
  /// - Throws: ``HarnessFailure`` if it does not within a minute.
  package func waitUntilReady() async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let asked = try await tool("psql", ["-Atc", "SELECT 1"], "postgres").run()
      if asked.status == 0 { return }
      guard ContinuousClock.now < deadline else { throw HarnessFailure("PostgreSQL is not ready: \(asked.errorText)") }
      if hasEnded { try start() }
      // Between two questions only.
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Copies its data to a folder, as a backup of a stopped server is made.
  package func save(to folder: String) async throws { try await copy(data, to: folder) }

  /// Goes back to such a copy.
  package func restore(from folder: String) async throws { try await copy(folder, to: data) }

  private func copy(_ from: String, to: String) async throws {
    await kill()
    let words = #"rm -rf -- "$1"; cp -a -- "$0" "$1"; rm -f -- "$1/postmaster.pid""#
    let copied = try await ChildProcess("sh", ["-euc", words, from, to]).run()
    guard copied.status == 0 else { throw HarnessFailure(copied.errorText) }
    try start()
    try await waitUntilReady()
  }
}
