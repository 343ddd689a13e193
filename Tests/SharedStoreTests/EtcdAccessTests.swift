import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import Testing

/// Who gets in, and which servers are trusted.
@Suite("Access to a store on etcd", .timeLimit(.minutes(3)))
struct EtcdAccessTests {
  let key = "/acct/main/a"

  @Test("A member of another authority is not trusted")
  func otherAuthority() async throws {
    let cluster = try await EtcdCluster(members: 1)
    var settings = cluster.settings
    let other = try await MadeUpAuthority()
    settings.authority = other.certificate
    let reason = "127.0.0.1:\(cluster.port(0)): the certificate is self-signed, or its issuer is not trusted"
    expect(.untrusted(reason: reason), of: settings)
    withExtendedLifetime(other) {}
  }

  @Test("An authority's file that can't be read is named")
  func noAuthority() async throws {
    let cluster = try await EtcdCluster(members: 1)
    var settings = cluster.settings
    settings.authority = cluster.authority.certificate + ".none"
    let reason = "no certificate can be read from \(cluster.authority.certificate).none"
    expect(.untrusted(reason: reason), of: settings)
  }

  @Test("A member whose certificate is for another host is not trusted")
  func otherHost() async throws {
    let authority = try await MadeUpAuthority()
    let issued = try await authority.issue("web")
    let port = try FreePort()
    let server = try RunningProcess(
      ChildProcess(
        "openssl",
        ["s_server", "-quiet", "-accept", "127.0.0.1:\(port.number)", "-cert", issued.certificate, "-key", issued.key]
      )
    )
    try await server.ready { port.isServed }
    let settings = SharedKeyringSettings.Etcd(
      endpoints: ["https://127.0.0.1:\(port.number)"],
      authority: authority.certificate
    )
    let reason = "127.0.0.1:\(port.number): the certificate is for another host"
    expect(.untrusted(reason: reason), of: settings)
    await server.stop()
  }

  @Test("A certificate that others can write, and a key that they can read, are not shown to a member")
  func openFiles() async throws {
    let cluster = try await EtcdCluster(members: 1)
    let client = cluster.client
    for (path, mode, closed, change, reason) in [
      (cluster.authority.certificate, "666", "644", "go-w", "its group or others can write to it"),
      (client.certificate, "666", "644", "go-w", "its group or others can write to it"),
      (client.key, "640", "600", "600", "its group or others can read or write it"),
    ] {
      _ = try await ChildProcess("chmod", [mode, path]).run()
      expect(.denied(reason: "\(path): \(reason): run `chmod \(change) \(path)`"), of: cluster.settings)
      _ = try await ChildProcess("chmod", [closed, path]).run()
    }
    #expect(try SharedStore.etcd(cluster.settings).get(key).object == nil)
  }

  @Test("A server without TLS gets nothing, and its plain address is refused")
  func plain() async throws {
    let folder = try TemporaryFolder()
    let port = try FreePort()
    let address = "http://127.0.0.1:\(port.number)"
    let peers = "http://127.0.0.1:\(try FreePort().number)"
    let server = try RunningProcess(
      ChildProcess(
        "etcd",
        [
          "--data-dir", "\(folder.path)/data", "--listen-client-urls", address,
          "--advertise-client-urls", address, "--listen-peer-urls", peers,
        ]
      )
    )
    try await server.ready { port.isServed }
    // It listens before it serves, which may take longer than a store waits.
    var health = ChildProcess("etcdctl", ["--endpoints", address, "endpoint", "health"])
    health.environment["ETCDCTL_API"] = "3"
    while try await health.run().status != 0 { try #require(server.exitStatus == nil) }
    let place = "127.0.0.1:\(port.number)"
    expect(
      .unavailable(reason: "\(place) closed the connection in the TLS handshake"),
      of: SharedKeyringSettings.Etcd(endpoints: ["https://\(place)"])
    )
    expect(
      .failed(reason: "\(address) is not the https address of a member"),
      of: SharedKeyringSettings.Etcd(endpoints: [address])
    )
    await server.stop()
  }

  @Test("A client without a certificate is denied, and so is one with another authority's")
  func certificates() async throws {
    let cluster = try await EtcdCluster(members: 1)
    let place = "127.0.0.1:\(cluster.port(0))"
    var settings = cluster.settings
    (settings.certificate, settings.key) = (nil, nil)
    expect(.denied(reason: "\(place) wants a certificate of the client"), of: settings)
    let authority = try await MadeUpAuthority()
    let other = try await authority.issue("acct")
    (settings.certificate, settings.key) = (other.certificate, other.key)
    let reason = "\(place) does not accept the certificate of \(other.certificate)"
    expect(.denied(reason: reason), of: settings)
    settings.key = cluster.client.key
    let unusable = "the client's certificate or key can't be used (\(other.certificate), \(cluster.client.key))"
    expect(.denied(reason: unusable), of: settings)
    withExtendedLifetime(authority) {}
  }

  @Test("A certificate's common name is the user, with that user's keys and no others")
  func certificateUser() async throws {
    let cluster = try await EtcdCluster(members: 1)
    let root = try await cluster.authority.issue("root")
    try await cluster.requirePasswords(user: "acct", password: "made-up", keyring: "main")
    let store = SharedStore.etcd(cluster.settings)
    #expect(try store.swap(key, [1], nil) != nil)
    #expect(try store.changes("/acct/main/", 0).keys == [key])
    let reason = "127.0.0.1:\(cluster.port(0)) does not let this user at the keys"
    #expect(throws: SharedStoreFailure.denied(reason: reason)) { _ = try store.get("/acct/other/a") }
    #expect(throws: SharedStoreFailure.denied(reason: reason)) { _ = try store.swap("/acct/other/a", [1], nil) }
    #expect(throws: SharedStoreFailure.denied(reason: reason)) { _ = try store.changes("/acct/", 0) }
    var settings = cluster.settings
    (settings.certificate, settings.key) = (root.certificate, root.key)
    #expect(try SharedStore.etcd(settings).get("/acct/other/a").object == nil)
  }

  @Test("A wrong password is denied, a user without one, and a file that others can read")
  func passwords() async throws {
    let cluster = try await EtcdCluster(members: 1, asksForCertificates: false)
    let place = "127.0.0.1:\(cluster.port(0))"
    let right = try PasswordFile("made-up password")
    let wrong = try PasswordFile("another password")
    let early = "a user is set, but \(place) does not have authentication enabled"
    expect(.denied(reason: early), of: cluster.settings(user: "acct", passwordFile: right.file))
    try await cluster.requirePasswords(user: "acct", password: right.text, keyring: "main")
    let reason = "\(place) does not accept the user and the password"
    expect(.denied(reason: reason), of: cluster.settings(user: "acct", passwordFile: wrong.file))
    expect(.denied(reason: reason), of: cluster.settings(user: "none", passwordFile: right.file))
    var settings = cluster.settings(user: "acct", passwordFile: right.file)
    settings.user = nil
    let anonymous = "\(place) wants a user, or a certificate with a user's name"
    expect(.denied(reason: anonymous), of: settings)
    settings.user = "acct"
    settings.passwordFile = nil
    expect(.denied(reason: "a user is set, but no file with the password"), of: settings)
    settings.passwordFile = right.file
    #expect(try SharedStore.etcd(settings).get(key).object == nil)
    _ = try await ChildProcess("chmod", ["o+r", right.file]).run()
    let exposed = "its group or others can read or write it: run `chmod 600 \(right.file)`"
    expect(.denied(reason: "the password can't be read from \(right.file): \(exposed)"), of: settings)
  }

  @Test("A store authenticates again when the cluster has forgotten its user's token")
  func tokens() async throws {
    let cluster = try await EtcdCluster(members: 1, asksForCertificates: false)
    let password = try PasswordFile("made-up password")
    try await cluster.requirePasswords(user: "acct", password: password.text, keyring: "main")
    let store = SharedStore.etcd(cluster.settings(user: "acct", passwordFile: password.file))
    let version = try #require(try store.swap(key, [1], nil))
    // Tokens of the kind that needs no keys are kept in a member's memory.
    await cluster.kill(0)
    try cluster.start(0)
    try await cluster.waitUntilListening(0)
    #expect(try store.swap(key, [2], version) != nil)
    #expect(try store.get(key).object?.bytes == [2])
  }

  private func expect(
    _ failure: SharedStoreFailure,
    of settings: SharedKeyringSettings.Etcd,
    at location: SourceLocation = #_sourceLocation
  ) {
    let store = SharedStore.etcd(settings)
    #expect(throws: failure, sourceLocation: location) { _ = try store.get(key) }
    #expect(throws: failure, sourceLocation: location) { _ = try store.swap(key, [1], nil) }
  }
}

extension EtcdCluster {
  /// Waits until a member's port is open: etcdctl can't ask for more once it wants a user.
  func waitUntilListening(_ number: Int) async throws {
    let port = port(number)
    for _ in 0..<1000 {
      let asked = ChildProcess("sh", ["-c", "echo | openssl s_client -connect 127.0.0.1:\(port)"])
      let told = try await asked.run()
      if told.text.contains("BEGIN CERTIFICATE") { return }
    }
    throw HarnessFailure("etcd does not listen")
  }
}
