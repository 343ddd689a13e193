import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import Testing

/// Three members of etcd that share a keyring, over mutual TLS.
struct EtcdEngine: SharedEngine {
  let cluster: EtcdCluster
  private let networks: SeparateNetworks?
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - networks: Those of the members, if they can be cut off.
  ///   - arguments: More arguments of each `etcd`.
  /// - Throws: What starting them throws.
  init(in networks: SeparateNetworks? = nil, arguments: [String] = []) async throws {
    self.networks = networks
    cluster = try await EtcdCluster(arguments: arguments, in: networks)
    folder = try TemporaryFolder()
  }

  var place: [String] {
    [
      "etcd", cluster.endpoints.joined(separator: ","), "--cert", cluster.client.certificate,
      "--key", cluster.client.key, "--ca", cluster.authority.certificate,
    ]
  }

  var placeOfStranger: [String] {
    ["etcd", cluster.endpoints.joined(separator: ","), "--ca", cluster.authority.certificate]
  }

  var authority: MadeUpAuthority { cluster.authority }

  func store() -> SharedStore {
    .etcd(
      SharedKeyringSettings.Etcd(
        endpoints: cluster.endpoints,
        certificate: cluster.client.certificate,
        key: cluster.client.key,
        authority: cluster.authority.certificate
      )
    )
  }

  var folders: [String] { cluster.folders }

  func strike(_ blow: Blow) async throws {
    try await strike(blow, try #require(try await cluster.leader(), "no member leads"))
  }

  func strike(_ blow: Blow, _ member: Int) async throws {
    switch blow {
    case .killed: await cluster.kill(member)
    case .frozen: cluster.freeze(member)
    case .cutOff: try await networks?.cutOff(member)
    }
  }

  func heal(_ blow: Blow, _ member: Int) async throws {
    switch blow {
    case .killed: try cluster.start(member)
    case .frozen: cluster.thaw(member)
    case .cutOff: try await networks?.reconnect(member)
    }
  }

  func takeAway() async throws { for member in [0, 1] { await cluster.kill(member) } }

  func bringBack() async throws {
    for member in 0..<3 {
      if !cluster.isStarted(member) { try cluster.start(member) }
      cluster.thaw(member)
      try await networks?.reconnect(member)
    }
    try await cluster.waitUntilHealthy()
  }

  private var snapshot: String { "\(folder.path)/snapshot" }

  func backUp() async throws { try await cluster.save(to: snapshot) }
  func restore() async throws { try await cluster.restore(from: snapshot) }

  func compact() async throws {
    // `ENDPOINT, …` tells no revision; the answer to a read does.
    let read = try await cluster.etcdctl(["get", "none", "--write-out", "fields"])
    let line = read.text.split(separator: "\n").first { $0.hasPrefix("\"Revision\"") }
    let revision = try #require(line?.split(separator: " ").last.map(String.init))
    for words in [["compact", "--physical", revision], ["defrag"]] {
      let done = try await cluster.etcdctl(words)
      try #require(done.status == 0, "\(words): \(done.errorText)")
    }
  }

  func dump() async throws -> [UInt8] {
    let dumped = try await cluster.etcdctl(["get", "--prefix", ""])
    try #require(dumped.status == 0, "\(dumped.errorText)")
    return dumped.standardOutput
  }
}
