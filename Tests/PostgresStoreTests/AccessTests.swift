import AcctPorts
import AcctTestSupport
import FleetPorts
import Glibc
import PostgresStore
import Testing

@Suite("Access to PostgreSQL", .timeLimit(.minutes(3)))
struct AccessTests {
  private func failure(
    _ server: PostgresServer,
    _ change: (inout SharedKeyringSettings.Postgres) -> Void
  ) -> SharedStoreFailure? {
    var settings = server.settings
    change(&settings)
    let store = SharedStore.postgres(settings)
    return #expect(throws: SharedStoreFailure.self) { try store.get("/acct/main/header") }
  }

  @Test("A wrong password is denied")
  func wrongPassword() async throws {
    let server = try await ServerOfSuite.started()
    let folder = try TemporaryFolder()
    let file = try folder.file("password", containing: "another made-up word\n")
    let failure = failure(server) { $0.passwordFile = file }
    #expect(failure == .denied(reason: #"password authentication failed for user "acct""#))
  }

  @Test("A server whose certificate is of another authority is not trusted")
  func otherAuthority() async throws {
    let server = try await ServerOfSuite.started()
    let other = try await MadeUpAuthority()
    let failure = failure(server) { $0.connection += " sslrootcert=\(other.certificate)" }
    guard case .untrusted(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("certificate verify failed"))
  }

  @Test("A server whose certificate has another name is not trusted")
  func otherName() async throws {
    let server = try await ServerOfSuite.started()
    let failure = failure(server) { $0.connection += " hostaddr=127.0.0.1 host=other.example" }
    guard case .untrusted(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("does not match host name"))
  }

  @Test("A client's key that has a passphrase is denied, and the terminal is not asked for it")
  func encryptedKey() async throws {
    let server = try await ServerOfSuite.started()
    let authority = try await MadeUpAuthority()
    // Its files go with it.
    defer { _ = authority }
    let issued = try await authority.issue("client")
    let folder = try TemporaryFolder()
    let key = "\(folder.path)/encrypted.key"
    let made = try await ChildProcess(
      "sh",
      ["-euc", #"umask 077; openssl ec -aes256 -passout pass:made-up -in "$0" -out "$1""#, issued.key, key]
    )
    .run()
    #expect(made.status == 0, "\(made.errorText)")
    let failure = failure(server) { $0.connection += " sslcert=\(issued.certificate) sslkey=\(key)" }
    guard case .denied(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    // OpenSSL was given a passphrase, and has not looked for a terminal.
    #expect(reason.contains("bad decrypt"), "\(reason)")
    #expect(reason.hasSuffix("; a key that has a passphrase can't be used"), "\(reason)")
  }

  @Test("Variables of libpq do not weaken a connection")
  func variables() async throws {
    let server = try await ServerOfSuite.started()
    let variables = [
      "PGSSLMODE": "disable", "PGGSSENCMODE": "require", "PGTARGETSESSIONATTRS": "standby",
      "PGOPTIONS": "-c search_path=pg_temp", "PGPASSWORD": "another made-up word",
    ]
    for (name, value) in variables { unsafe setenv(name, value, 1) }
    defer { for name in variables.keys { unsafe unsetenv(name) } }
    let store = SharedStore.postgres(server.settings)
    try store.prepare()
    #expect(try store.get("/acct/main/header").standing.revision >= 1)
    #expect(try await server.psql("SELECT to_regclass('acct_objects')", database: "acct") != "\n")
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
    #expect(
      try await server.psql("\(encrypted) WHERE application_name = 'acct'") == "t\n"
    )
  }

  @Test("A database without the tables is not prepared, and preparing makes them once")
  func tables() async throws {
    let server = try await ServerOfSuite.started()
    try await server.psql("DROP DATABASE IF EXISTS bare")
    try await server.psql("CREATE DATABASE bare OWNER acct")
    var settings = server.settings
    settings.connection += " dbname=bare"
    let stores = (0..<8).map { _ in SharedStore.postgres(settings) }
    #expect(
      throws: SharedStoreFailure.notPrepared(reason: #"relation "acct_store" does not exist"#)
    ) { try stores[0].get("/acct/main/header") }
    for task in stores.map({ store in onAnotherThread { try store.prepare() } }) { try await task.value }
    var standings: [SharedStore.Standing] = []
    for store in stores {
      standings.append(try store.get("/acct/main/header").standing)
      store.end()
    }
    #expect(standings.allSatisfy { $0 == standings[0] })
  }

  @Test("Tables that another machine makes at the same moment are used")
  func meanwhile() async throws {
    let server = try await ServerOfSuite.started()
    try await server.psql("DROP DATABASE IF EXISTS contested")
    try await server.psql("CREATE DATABASE contested OWNER acct")
    var settings = server.settings
    settings.connection += " dbname=contested"
    let other = try server.session("contested")
    try await other.run(
      """
      SET ROLE acct; BEGIN;
      CREATE TABLE acct_objects (key text PRIMARY KEY, version bigint, bytes bytea);
      CREATE TABLE acct_store (one boolean PRIMARY KEY, identifier uuid, revision bigint);
      INSERT INTO acct_store VALUES (true, gen_random_uuid(), 7);
      """
    )
    let store = SharedStore.postgres(settings)
    let preparing = onAnotherThread { try store.prepare() }
    try await server.waitUntilAcct(waitsFor: "Lock")
    try await other.run("COMMIT;")
    try await preparing.value
    await other.end()
    #expect(try store.get("/acct/main/header").standing.revision == 7)
    store.end()
  }

  @Test("A role without rights is denied, and one that may not make tables can use them")
  func rights() async throws {
    let (_, server) = try await ServerOfSuite.prepared()
    try await server.psql("DROP ROLE IF EXISTS guest")
    try await server.psql("CREATE ROLE guest LOGIN PASSWORD '\(PostgresServer.password)'")
    var settings = server.settings
    settings.connection += " user=guest"
    let store = SharedStore.postgres(settings)
    #expect(throws: SharedStoreFailure.denied(reason: "permission denied for table acct_store")) { try store.prepare() }
    let rights = [
      "GRANT SELECT, UPDATE (revision) ON acct_store TO guest",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON acct_objects TO guest",
    ]
    try await server.psql(rights.joined(separator: ";"), database: "acct")
    try store.prepare()
    let key = String.newKey
    let made = try #require(try store.swap(key, [1], nil))
    let changed = try #require(try store.swap(key, [2], made))
    #expect(try store.swap(key, nil, changed) != nil)
    store.end()
    try await server.psql("DROP OWNED BY guest; DROP ROLE guest", database: "acct")
  }

  @Test("A session that may only read is no place to read from, either")
  func readOnly() async throws {
    let (store, server) = try await ServerOfSuite.prepared()
    store.end()
    try await server.psql("ALTER ROLE acct SET default_transaction_read_only = on")
    #expect(throws: SharedStoreFailure.noQuorum) { try store.get("/acct/main/header") }
    try await server.psql("ALTER ROLE acct RESET default_transaction_read_only")
    #expect(try store.get("/acct/main/header").standing.revision >= 1)
  }
}
