import AcctPorts
import AcctTestSupport
import EtcdStore
import FleetPorts
import Testing

/// A cluster of 3 whose members are killed, frozen and silent.
@Suite("A store on etcd whose members fail", .timeLimit(.minutes(3)))
struct EtcdOutageTests {
  /// Those of no other test: they use the same clusters.
  private let folder = "/acct/main-\(String(UInt32.random(in: .min ... .max), radix: 16))/"
  private var key: String { "\(folder)a" }

  private static let three = Task { try await EtcdCluster() }
  private static let single = Task { try await EtcdCluster(members: 1) }

  /// A cluster that serves, whatever the last test did to it.
  private func cluster(members: Int = 3) async throws -> EtcdCluster {
    let cluster = try await (members == 3 ? Self.three : Self.single).value
    for member in 0..<members {
      if !cluster.isStarted(member) { try cluster.start(member) }
      cluster.thaw(member)
    }
    try await cluster.waitUntilHealthy()
    return cluster
  }

  @Test("A store asks another member when one is killed")
  func killed() async throws {
    let cluster = try await cluster()
    let store = SharedStore.etcd(cluster.settings)
    let version = try #require(try store.swap(key, [1], nil))
    await cluster.kill(0)
    #expect(try store.get(key).object?.version == version)
    let next = try #require(try store.swap(key, [2], version))
    // The first call of a process, too.
    #expect(try SharedStore.etcd(cluster.settings).get(key).object?.version == next)
  }

  @Test("A store writes once although the leader was frozen in the middle")
  func frozenLeader() async throws {
    let cluster = try await cluster()
    let leader = try #require(try await cluster.leader())
    var settings = cluster.settings
    settings.endpoints.swapAt(0, leader)
    let store = SharedStore.etcd(settings)
    // Connected to the leader, so that the next request reaches its socket, and is not answered.
    let version = try #require(try store.swap(key, [1], nil))
    cluster.freeze(leader)
    let next = try #require(try store.swap(key, [2], version))
    #expect(try store.get(key).object == SharedStore.Object(key: key, bytes: [2], version: next))
    cluster.thaw(leader)
    // What the leader still held was made for a version that is gone.
    try await cluster.waitUntilHealthy()
    #expect(try store.get(key).object == SharedStore.Object(key: key, bytes: [2], version: next))
  }

  @Test("A store recognizes its own write that was not answered", arguments: [[2], nil] as [[UInt8]?])
  func unanswered(bytes: [UInt8]?) async throws {
    let cluster = try await cluster()
    let forwarder = try Forwarder(to: cluster.port(0))
    var settings = cluster.settings
    settings.endpoints[0] = "https://127.0.0.1:\(forwarder.port)"
    let store = SharedStore.etcd(settings)
    let version = try #require(try store.swap(key, [1], nil))
    forwarder.keepSilent()
    let next = try #require(try store.swap(key, bytes, version))
    let reading = try store.get(key)
    #expect(reading.object?.bytes == bytes)
    if bytes != nil { #expect(reading.object?.version == next) }
    #expect(next > version)
  }

  @Test(
    "A store recognizes its own write on a connection that ended without an answer",
    arguments: [[2], nil] as [[UInt8]?]
  )
  func hungUp(bytes: [UInt8]?) async throws {
    let cluster = try await cluster(members: 1)
    let forwarder = try Forwarder(to: cluster.port(0))
    var settings = cluster.settings
    settings.endpoints = ["https://127.0.0.1:\(forwarder.port)"]
    let store = SharedStore.etcd(settings)
    // Connected, so that the next request is sent at once; libcurl must not send it a second time of its own accord.
    let version = try #require(try store.swap(key, [1], nil))
    forwarder.hangUp()
    let next = try #require(try store.swap(key, bytes, version))
    #expect(next > version)
    #expect(try store.get(key).object?.bytes == bytes)
  }

  @Test("A store does not take another's write for its own")
  func overtaken() async throws {
    let cluster = try await cluster()
    let forwarder = try Forwarder(to: cluster.port(0))
    var settings = cluster.settings
    settings.endpoints[0] = "https://127.0.0.1:\(forwarder.port)"
    let store = SharedStore.etcd(settings)
    let version = try #require(try store.swap(key, [1], nil))
    let other = try #require(try SharedStore.etcd(cluster.settings).swap(key, [3], version))
    forwarder.keepSilent()
    #expect(try store.swap(key, [2], version) == nil)
    #expect(try store.get(key).object == SharedStore.Object(key: key, bytes: [3], version: other))
  }

  @Test("A store says that there is no quorum when two of three are killed")
  func noQuorum() async throws {
    let cluster = try await cluster()
    let store = SharedStore.etcd(cluster.settings)
    let version = try #require(try store.swap(key, [1], nil))
    await cluster.kill(0)
    await cluster.kill(1)
    let key = key
    let failures = try await together([false, true]) { _, swaps -> SharedStoreFailure? in
      do throws(SharedStoreFailure) {
        if swaps { _ = try store.swap(key, [2], version) } else { _ = try store.get(key) }
        return nil
      } catch {
        return error
      }
    }
    #expect(failures == [.noQuorum, .noQuorum])
    try cluster.start(0)
    try await cluster.waitUntilServing([0, 2])
    // Refused or carried out late: one of both, and the version tells which.
    let there = try #require(try store.get(key).object)
    #expect((there.version == version) == (there.bytes == [1]))
  }

  @Test("A store ends within its deadline when two of three are frozen")
  func frozenMajority() async throws {
    let cluster = try await cluster()
    let store = SharedStore.etcd(cluster.settings)
    _ = try #require(try store.swap(key, [1], nil))
    cluster.freeze(0)
    cluster.freeze(1)
    #expect(throws: SharedStoreFailure.noQuorum) { _ = try store.get(key) }
    cluster.thaw(0)
    cluster.thaw(1)
    try await cluster.waitUntilHealthy()
    #expect(try store.get(key).object?.bytes == [1])
  }

  @Test("A store says that a frozen member did not answer, and names one that was killed")
  func allAway() async throws {
    let cluster = try await cluster(members: 1)
    let store = SharedStore.etcd(cluster.settings)
    _ = try #require(try store.swap(key, [1], nil))
    cluster.freeze(0)
    #expect(throws: SharedStoreFailure.timedOut) { _ = try store.get(key) }
    await cluster.kill(0)
    let reason = "127.0.0.1:\(cluster.port(0)): the connection was refused"
    #expect(throws: SharedStoreFailure.unavailable(reason: reason)) { _ = try store.get(key) }
    try cluster.start(0)
    try await cluster.waitUntilHealthy()
    #expect(try store.get(key).object?.bytes == [1])
  }

  @Test("A store says that there is no space, and goes on reading and removing")
  func full() async throws {
    let quota = ["--quota-backend-bytes", "262144"]
    let cluster = try await EtcdCluster(members: 1, arguments: quota)
    let store = SharedStore.etcd(cluster.settings)
    var version = try #require(try store.swap(key, [1], nil))
    let failure = try #require(throws: SharedStoreFailure.self) {
      for _ in 0..<100 {
        let bytes = (0..<50_000).map { _ in UInt8.random(in: .min ... .max) }
        version = try #require(try store.swap(key, bytes, version))
      }
    }
    #expect(failure == .noSpace)
    #expect(try store.get(key).object?.version == version)
    #expect(try store.changes(folder, 0).keys == [key])
    #expect(try store.swap(key, nil, version) != nil)
  }

  @Test("A store reads the same after a compaction")
  func compaction() async throws {
    let cluster = try await cluster(members: 1)
    let store = SharedStore.etcd(cluster.settings)
    let first = try #require(try store.swap(key, [1], nil))
    let second = try #require(try store.swap(key, [2], first))
    let done = try await cluster.etcdctl(["compaction", "\(second)"])
    #expect(done.status == 0, "\(done.errorText)")
    #expect(try store.get(key).object?.version == second)
    #expect(try store.changes(folder, first - 1).objects.map(\.version) == [second])
    #expect(try store.swap(key, [3], first) == nil)
    #expect(try store.swap(key, [3], second) != nil)
  }
}

extension EtcdCluster {
  /// The port at which a member serves clients.
  func port(_ number: Int) -> UInt16 { endpoints[number].split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

  /// Waits until some of the members serve.
  func waitUntilServing(_ numbers: [Int]) async throws {
    for _ in 0..<100 where try await etcdctl(["endpoint", "health"], at: numbers).status == 0 { return }
    throw HarnessFailure("etcd does not serve")
  }
}
