import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore

/// The server that the tests of this process share: those that stop it start it again.
enum ServerOfSuite {
  private static let starting = Task { try await PostgresServer() }

  static func started() async throws -> PostgresServer { try await starting.value }

  /// A store in which everything is there, and its server.
  static func prepared() async throws -> (SharedStore, PostgresServer) {
    let server = try await started()
    let store = SharedStore.postgres(server.settings)
    try store.prepare()
    return (store, server)
  }
}

/// Blocks on a thread of its own, as the calls of a store do.
func onAnotherThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) -> Task<Outcome, any Error> {
  Task.detached { try body() }
}

extension String {
  /// A key that no other test uses.
  static var newKey: String { "/acct/main/a/\(String(UInt64.random(in: .min ... .max), radix: 16))" }
}
