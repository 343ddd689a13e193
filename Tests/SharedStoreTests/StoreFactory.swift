import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import PostgresStore
import Testing

/// The kinds of stores that keep the contract, and how to connect to each.
///
/// A store is added by one more of these in ``all``. Its engine is started by the first test that needs it, and
/// serves the whole suite: each test has keys of its own.
struct StoreFactory: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Connects as another process would.
  let connect: @Sendable () async throws -> SharedStore

  static let all = [etcdWithCertificates, etcdWithPassword, postgres]

  static let etcdWithCertificates = StoreFactory(testDescription: "etcd, mutual TLS, 3 members") {
    let cluster = try await Engines.certificates.value
    return .etcd(cluster.settings)
  }

  static let etcdWithPassword = StoreFactory(testDescription: "etcd, a user with a password") {
    let (cluster, password) = try await Engines.password.value
    return .etcd(cluster.settings(user: "acct", passwordFile: password.file))
  }

  static let postgres = StoreFactory(testDescription: "PostgreSQL, TLS and SCRAM") {
    .postgres(try await Engines.postgres.value.settings)
  }

  /// Lends two connections, and a prefix that no other test uses.
  func withStore(
    _ body: (_ store: SharedStore, _ fromElsewhere: SharedStore, _ prefix: String) async throws ->
      Void
  ) async throws {
    let (store, fromElsewhere) = (try await connect(), try await connect())
    defer {
      store.end()
      fromElsewhere.end()
    }
    try store.prepare()
    let number = UInt64.random(in: .min ... .max)
    try await body(store, fromElsewhere, "/acct/main/\(String(number, radix: 16))/")
  }
}

/// The engines of this process.
private enum Engines {
  static let certificates = Task { try await EtcdCluster() }

  static let password = Task {
    let cluster = try await EtcdCluster(members: 1, asksForCertificates: false)
    let password = try PasswordFile("made-up password")
    try await cluster.requirePasswords(user: "acct", password: password.text, keyring: "main")
    return (cluster, password)
  }

  static let postgres = Task { try await PostgresServer() }
}

/// A password and the file that it is in.
final class PasswordFile: Sendable {
  let text: String
  let file: String
  private let folder: TemporaryFolder

  init(_ text: String) throws {
    self.text = text
    folder = try TemporaryFolder()
    file = try folder.file("password", containing: text + "\n")
  }
}

extension EtcdCluster {
  /// For a client with a certificate.
  var settings: SharedKeyringSettings.Etcd {
    SharedKeyringSettings.Etcd(
      endpoints: endpoints,
      certificate: client.certificate,
      key: client.key,
      authority: authority.certificate
    )
  }

  /// For a client with a password.
  func settings(user: String, passwordFile: String) -> SharedKeyringSettings.Etcd {
    SharedKeyringSettings.Etcd(
      endpoints: endpoints,
      authority: authority.certificate,
      user: user,
      passwordFile: passwordFile
    )
  }
}
