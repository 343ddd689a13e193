import AcctPorts
package import FleetPorts
import Synchronization

/// A session of the owner's at a server, which can keep a transaction open.
package final class PostgresSession: Sendable {
  private let input: OpenInput
  private let process: RunningProcess
  private let count = Mutex(0)

  init(_ psql: ChildProcess) throws(ProcessFailure) {
    input = try OpenInput()
    process = try RunningProcess(input.feeding(psql))
  }

  /// Runs a statement, and returns when it is done.
  ///
  /// - Throws: ``ProcessFailure`` if the session ends instead.
  package func run(_ statement: String) async throws(ProcessFailure) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    try input.type(statement)
    try input.type("SELECT 'statement \(number) is done';")
    try await process.ready {
      String(decoding: process.standardOutput.contents(), as: UTF8.self).contains("statement \(number) is done")
    }
  }

  /// Ends it; an open transaction is undone.
  package func end() async { await process.stop() }
}

extension PostgresServer {
  /// Opens a session of its owner's in a database, acct's if none is named.
  ///
  /// - Throws: ``ProcessFailure`` if it cannot be started.
  package func session(_ database: String = "acct") throws(ProcessFailure) -> PostgresSession {
    let options = ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-At"]
    return try PostgresSession(tool("psql", options, database))
  }

  /// Waits until one of acct's connections waits for something, such as `Lock` or `SyncRep`.
  ///
  /// - Throws: ``HarnessFailure`` if none does within a minute.
  package func waitUntilAcct(waitsFor event: String) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    let question = """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = 'acct'
      AND '\(event)' IN (wait_event_type, wait_event)
      """
    while try await psql(question) == "0\n" {
      guard ContinuousClock.now < deadline else { throw HarnessFailure("no connection of acct's waits for \(event)") }
    }
  }

  /// Ends acct's connections, as an administrator does.
  package func endConnectionsOfAcct() async throws {
    try await psql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'acct'")
  }

  /// The settings by which acct gets in.
  package var settings: SharedKeyringSettings.Postgres {
    SharedKeyringSettings.Postgres(connection: connection, passwordFile: passwordFile)
  }
}
