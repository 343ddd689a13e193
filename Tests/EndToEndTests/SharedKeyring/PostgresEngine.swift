import AcctPorts
import AcctTestSupport
import FleetPorts
import PostgresStore
import Testing

/// A PostgreSQL with a shared keyring, over TLS and with a password.
struct PostgresEngine: SharedEngine {
  let server: PostgresServer
  private let folder: TemporaryFolder

  private let wrongPassword: String

  init() async throws {
    server = try await PostgresServer()
    folder = try TemporaryFolder()
    wrongPassword = try folder.file("wrong", containing: "another-password\n")
  }

  var place: [String] { ["postgres", server.connection, "--password-file", server.passwordFile] }

  var placeOfStranger: [String] { ["postgres", server.connection, "--password-file", wrongPassword] }

  var authority: MadeUpAuthority { server.authority }

  func store() -> SharedStore {
    .postgres(SharedKeyringSettings.Postgres(connection: server.connection, passwordFile: server.passwordFile))
  }

  var folders: [String] { [server.data] }

  func strike(_ blow: Blow) async throws {
    switch blow {
    case .killed: await server.kill()
    case .frozen, .cutOff: server.freeze()
    }
  }

  func takeAway() async throws { await server.kill() }

  func bringBack() async throws {
    if server.hasEnded { try server.start() }
    server.thaw()
    try await server.waitUntilReady()
  }

  private var copy: String { "\(folder.path)/copy" }

  func backUp() async throws { try await server.save(to: copy) }
  func restore() async throws { try await server.restore(from: copy) }
  func compact() async throws { try await server.psql("VACUUM FULL", database: "acct") }
  func dump() async throws -> [UInt8] { try await server.dump() }
}
