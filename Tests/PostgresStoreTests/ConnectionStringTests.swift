import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore
import Testing

@Suite("Connection strings")
struct ConnectionStringTests {
  private func failure(_ connection: String, passwordFile: String? = nil) -> SharedStoreFailure? {
    let store = SharedStore.postgres(.init(connection: connection, passwordFile: passwordFile))
    return #expect(throws: SharedStoreFailure.self) { try store.get("/acct/main/header") }
  }

  @Test(
    "A connection string that does not verify the server is refused",
    arguments: ["disable", "allow", "prefer", "require", "verify-ca"]
  )
  func weak(mode: String) {
    let reason = "sslmode=\(mode) does not verify the server; verify-full does"
    for connection in [
      "host=127.0.0.1 port=1 dbname=acct sslmode=\(mode)",
      "postgresql://127.0.0.1:1/acct?sslmode=\(mode)",
    ] { #expect(failure(connection) == .untrusted(reason: reason)) }
  }

  @Test(
    "A connection string with a password is refused, and not quoted",
    arguments: [
      "host=127.0.0.1 port=1 dbname=acct password=made-up-word",
      "postgresql://acct:made-up-word@127.0.0.1:1/acct",
      "host=127.0.0.1 port=1 sslpassword=made-up-word",
    ]
  )
  func password(connection: String) {
    #expect(failure(connection) == .failed(reason: "the connection string contains a password"))
  }

  @Test(
    "A connection string that is malformed is refused, and not quoted",
    arguments: ["made-up-word", "host=127.0.0.1 colour=blue", "postgresql://a:b@[::1/acct"]
  )
  func malformed(connection: String) {
    #expect(failure(connection) == .failed(reason: "the connection string is malformed"))
  }

  @Test("A password file that others can read is refused")
  func exposed() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("password", containing: "made up\n")
    _ = try await ChildProcess("chmod", ["644", file]).run()
    let reason = "\(file): its group or others can read or write it: run `chmod 600 \(file)`"
    let failure = failure("host=127.0.0.1 port=1", passwordFile: file)
    #expect(failure == .failed(reason: reason))
  }

  @Test("A password file that is empty or missing is refused")
  func noPassword() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.file("password", containing: "\n")
    #expect(
      failure("host=127.0.0.1 port=1", passwordFile: empty) == .failed(reason: "\(empty): its first line is empty")
    )
    let missing = "\(folder.path)/missing"
    #expect(
      failure("host=127.0.0.1 port=1", passwordFile: missing)
        == .failed(reason: "\(missing): no such file or directory")
    )
  }
}
