import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore
import Testing

@Suite("Versions in PostgreSQL", .timeLimit(.minutes(5)))
struct VersionTests {
  /// A change as acct makes it, of a client that has not committed it yet.
  private func insertion(of key: String) -> String {
    """
    WITH next AS (UPDATE acct_store SET revision = revision + 1 RETURNING revision)
    INSERT INTO acct_objects SELECT '\(key)', revision, 'x' FROM next;
    """
  }

  @Test("Versions become visible in their order: a change waits for the one before it")
  func order() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let prefix = "\(String.newKey)/"
    let before = try store.get("/acct/main/header").standing.revision
    let other = try server.session()
    try await other.run("BEGIN; \(insertion(of: "\(prefix)early"))")
    let later = onAnotherThread { try store.swap("\(prefix)late", [1], nil) }
    try await server.waitUntilAcct(waitsFor: "Lock")
    let reader = SharedStore.postgres(server.settings)
    let meanwhile = try reader.changes(prefix, before)
    #expect(meanwhile.keys == [])
    #expect(meanwhile.standing.revision == before)
    try await other.run("COMMIT;")
    let version = try #require(try await later.value)
    await other.end()
    let afterwards = try reader.changes(prefix, meanwhile.standing.revision)
    #expect(afterwards.objects.map(\.version).sorted() == [before + 1, before + 2])
    #expect(version == before + 2)
    reader.end()
  }

  @Test("A swap of what an open transaction has changed is made if that is undone, else refused")
  func openTransaction() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    var version = try #require(try store.swap(key, [1], nil))
    for ending in ["ROLLBACK", "COMMIT"] {
      let other = try server.session()
      let change = """
        BEGIN; WITH next AS (UPDATE acct_store SET revision = revision + 1 RETURNING revision)
        UPDATE acct_objects SET version = revision, bytes = 'x' FROM next WHERE key = '\(key)';
        """
      try await other.run(change)
      let swapping = onAnotherThread { [version] in try store.swap(key, [2], version) }
      try await server.waitUntilAcct(waitsFor: "Lock")
      try await other.run("\(ending);")
      let swapped = try await swapping.value
      await other.end()
      #expect((swapped != nil) == (ending == "ROLLBACK"))
      #expect(try store.get(key).object?.bytes == (swapped == nil ? Array("x".utf8) : [2]))
      version = swapped ?? version
    }
  }

  @Test("A swap that waits for too long is undone on the server")
  func waiting() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    let other = try server.session()
    try await other.run("BEGIN; UPDATE acct_store SET revision = revision + 1;")
    #expect(throws: SharedStoreFailure.timedOut) { try store.swap(key, [1], nil) }
    try await other.run("ROLLBACK;")
    await other.end()
    #expect(try store.get(key).object == nil)
  }

  @Test("A swap whose connection breaks before it is made is reported as not made")
  func brokenBefore() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    let other = try server.session()
    try await other.run("BEGIN; UPDATE acct_store SET revision = revision + 1;")
    let swapping = onAnotherThread { try store.swap(key, [1], nil) }
    try await server.waitUntilAcct(waitsFor: "Lock")
    try await server.endConnectionsOfAcct()
    let failure = await #expect(throws: SharedStoreFailure.self) { try await swapping.value }
    guard case .unavailable = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    try await other.run("ROLLBACK;")
    await other.end()
    #expect(try store.get(key).object == nil)
  }

  @Test("A swap whose connection breaks after it was made is found by reading back")
  func brokenAfter() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    // It commits, and then waits for a standby that does not exist before it answers.
    try await server.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try await server.psql("SELECT pg_reload_conf()")
    // In force when a new connection shows it and the checkpointer, which tells all others, has run.
    while try await server.psql("SHOW synchronous_standby_names") != "nobody\n" {}
    try await server.psql("CHECKPOINT")
    let version: Int64?
    do {
      let swapping = onAnotherThread { try store.swap(key, [1], nil) }
      try await server.waitUntilAcct(waitsFor: "SyncRep")
      try await server.endConnectionsOfAcct()
      version = try await swapping.value
    }
    try await server.psql("ALTER SYSTEM RESET synchronous_standby_names")
    try await server.psql("SELECT pg_reload_conf()")
    let made = try #require(version)
    #expect(try store.get(key).object == SharedStore.Object(key: key, bytes: [1], version: made))
  }
}
