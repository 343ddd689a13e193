import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore
import Testing

/// The sizes that a role of the engine may write, and that acct does not read.
@Suite("The limits of a store on PostgreSQL", .timeLimit(.minutes(3)))
struct PostgresLimitTests {
  private let server: PostgresServer
  private let store: SharedStore

  init() async throws {
    server = try await PostgresServer()
    store = .postgres(server.settings)
    try store.prepare()
    _ = try store.swap("/acct/main/a/sound", [1], nil)
  }

  private func insert(_ count: Int, of bytes: Int) async throws {
    _ = try await server.psql(
      """
      INSERT INTO acct_objects SELECT '/acct/main/a/large-' || n, 2,
        decode(repeat('ab', \(bytes)), 'hex') FROM generate_series(1, \(count)) n;
      UPDATE acct_store SET revision = greatest(revision, 2)
      """,
      database: "acct"
    )
  }

  @Test("A row of more than 1 MiB is read as an empty object, and hides none of the others")
  func row() async throws {
    defer { store.end() }
    try await insert(1, of: (1 << 20) + 1)
    #expect(try store.get("/acct/main/a/large-1").object?.bytes == [])
    let changes = try store.changes("/acct/main/a/", 0)
    #expect(changes.keys == ["/acct/main/a/sound", "/acct/main/a/large-1"])
    let sizes = changes.objects.map(\.bytes.count).sorted()
    #expect(sizes == [0, 1])
  }

  @Test("Rows of more than 64 MiB together are a failure, and each of them can be read")
  func rows() async throws {
    defer { store.end() }
    try await insert(65, of: 1 << 20)
    #expect(throws: SharedStoreFailure.self) { try store.changes("/acct/main/a/", 0) }
    #expect(try store.get("/acct/main/a/large-1").object?.bytes.count == 1 << 20)
    #expect(try store.get("/acct/main/a/sound").object?.bytes == [1])
  }
}
