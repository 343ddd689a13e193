import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore
import Testing

@Suite("Outages of PostgreSQL", .timeLimit(.minutes(5)))
struct OutageTests {
  @Test("A server that does not answer is given up, and used again when it does")
  func frozen() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    server.freeze()
    defer { server.thaw() }
    // One that has to connect, and the one that is connected, which may connect at once afterwards.
    for store in [.postgres(server.settings), store] {
      #expect(throws: SharedStoreFailure.timedOut) { try store.swap(key, [1], nil) }
    }
    server.thaw()
    // Its bytes were on their way: the server may have stored them meanwhile.
    let version = try store.get(key).object?.version
    #expect(try version != nil || store.swap(key, [1], nil) != nil)
  }

  @Test("A server that was killed is unavailable, and used again when it is back")
  func killed() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    let version = try #require(try store.swap(key, [1], nil))
    await server.kill()
    for _ in 0..<2 {
      let failure = #expect(throws: SharedStoreFailure.self) { try store.get(key) }
      guard case .unavailable = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }
    try server.start()
    try await server.waitUntilReady()
    #expect(try store.get(key).object?.version == version)
    #expect(try store.swap(key, [2], version) != nil)
  }

  @Test("A connection that an administrator has ended is made anew")
  func ended() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    let key = String.newKey
    try await server.endConnectionsOfAcct()
    let version = try #require(try store.swap(key, [1], nil))
    try await server.endConnectionsOfAcct()
    #expect(try store.get(key).object?.version == version)
    try await server.endConnectionsOfAcct()
    #expect(try store.changes(key, 0).keys == [key])
  }

  @Test("A server that accepts connections and says nothing is waited for once, however many calls follow")
  func silent() async throws {
    let server = try await ServerOfSuite.started()
    let silent = try SilentListener()
    var settings = server.settings
    settings.connection += " host=localhost port=\(silent.port)"
    let store = SharedStore.postgres(settings)
    let start = ContinuousClock.now
    for _ in 0..<3 { #expect(throws: SharedStoreFailure.timedOut) { try store.get("/acct/main/header") } }
    #expect(throws: SharedStoreFailure.timedOut) { try store.swap(.newKey, [1], nil) }
    #expect(throws: SharedStoreFailure.timedOut) { try store.changes("/acct/main/a/", 0) }
    let time = start.duration(to: .now)
    #expect((.seconds(5)..<(.seconds(8))).contains(time), "\(time)")
  }

  @Test("The second of two hosts is asked if the first one accepts connections and says nothing")
  func hosts() async throws {
    let (_, server) = try await ServerOfSuite.prepared()
    let silent = try SilentListener()
    var settings = server.settings
    settings.connection += " host=127.0.0.1,localhost port=\(silent.port),\(server.port)"
    let store = SharedStore.postgres(settings)
    for _ in 0..<2 {
      #expect(try store.get("/acct/main/header").standing.revision >= 1)
      store.end()
    }
  }

  @Test("A standby is not read from")
  func standby() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    try await server.psql("COPY (SELECT) TO '\(server.data)/standby.signal'")
    await server.kill()
    try server.start()
    try await server.waitUntilReady()
    #expect(throws: SharedStoreFailure.noQuorum) { try store.get("/acct/main/header") }
    #expect(throws: SharedStoreFailure.noQuorum) { try store.swap(.newKey, [1], nil) }
    try await server.psql("SELECT pg_promote()")
    #expect(try store.get("/acct/main/header").standing.revision >= 1)
  }
}
