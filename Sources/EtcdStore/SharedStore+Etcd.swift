package import AcctPorts
package import FleetPorts

extension SharedStore {
  /// A store on a cluster of etcd, by its gRPC; nothing is read or connected before the first call.
  ///
  /// An object's version is the revision of its last change. Reads are linearizable: a member that can't reach a
  /// majority does not answer them.
  ///
  /// - Parameter settings: The addresses of its members, and this machine's credentials there.
  /// - Returns: The store; calls that do not overlap share one connection.
  package static func etcd(_ settings: SharedKeyringSettings.Etcd) -> SharedStore {
    let cluster = Cluster(settings)
    return SharedStore(
      // etcd keeps any key; there is nothing to make.
      prepare: {},
      get: { key throws(SharedStoreFailure) in try cluster.get(key) },
      swap: { key, bytes, version throws(SharedStoreFailure) in try cluster.swap(key, bytes, version) },
      changes: { prefix, version throws(SharedStoreFailure) in try cluster.changes(prefix, version) },
      end: { cluster.end() }
    )
  }
}

extension Cluster {
  fileprivate func get(_ key: String) throws(SharedStoreFailure) -> SharedStore.Reading {
    let reply = try call(.range, RangeRequest(key: key).message)
    let answer = try read { () throws(WireFlaw) in try RangeResponse(parsing: reply.message[...]) }
    return try SharedStore.Reading(answer, of: key)
  }

  /// One transaction: write if the version is still the same, else read what is there.
  ///
  /// An attempt that was not answered may have been carried out, or may be carried out yet, by a member that wakes
  /// up. The next attempt compares the same version, so that one of them changes the object at most. If it finds
  /// another version and the very bytes that were to be written, then that was the earlier attempt: ciphertext with
  /// its random nonce is written by no one else.
  fileprivate func swap(_ key: String, _ bytes: [UInt8]?, _ version: Int64?) throws(SharedStoreFailure) -> Int64? {
    let change: [TxnRequest.Operation] =
      switch (bytes, version) {
      case (let bytes?, _): [.put(key: key, value: bytes)]
      case (nil, .some): [.delete(key: key)]
      // Not there, and stays so.
      case (nil, nil): []
      }
    let request = TxnRequest(
      comparison: (key, version ?? 0),
      success: change,
      failure: [.range(RangeRequest(key: key))]
    )
    let reply: Cluster.Reply
    do throws(SharedStoreFailure) {
      reply = try call(.transaction, request.message)
    } catch .noSpace {
      // The write that crosses the quota is carried out, and etcd says so all the same (its issue 16659).
      guard let object = try get(key).object, object.bytes == bytes else { throw .noSpace }
      return object.version
    }
    let answer = try read { () throws(WireFlaw) in try TxnResponse(parsing: reply.message[...]) }
    if answer.succeeded { return answer.header.revision }
    guard let found = answer.ranges.first else { throw .strange }
    guard reply.mayBeDoneBefore, found.first?.value == bytes else { return nil }
    return found.first?.revision ?? answer.header.revision
  }

  fileprivate func changes(_ prefix: String, _ since: Int64) throws(SharedStoreFailure) -> SharedStore.Changes {
    var keys = RangeRequest(prefix: prefix)
    keys.keysOnly = true
    var objects = RangeRequest(prefix: prefix)
    objects.minimumRevision = max(0, since) &+ 1
    let request = TxnRequest(success: [.range(keys), .range(objects)])
    let reply = try call(.transaction, request.message)
    let answer = try read { () throws(WireFlaw) in try TxnResponse(parsing: reply.message[...]) }
    return try SharedStore.Changes(answer, under: prefix, since: since)
  }
}

extension SharedStore.Reading {
  /// Reads a member's answer to the question for one key.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)`` for one about other keys.
  package init(_ answer: RangeResponse, of key: String) throws(SharedStoreFailure) {
    guard answer.pairs.allSatisfy({ $0.key == key }), answer.pairs.count <= 1 else { throw .strange }
    self.init(object: answer.pairs.first.map { SharedStore.Object($0) }, standing: SharedStore.Standing(answer.header))
  }
}

extension SharedStore.Changes {
  /// Reads a member's answer to the two questions for a prefix.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)`` for one about other keys, or to other questions.
  package init(_ answer: TxnResponse, under prefix: String, since: Int64) throws(SharedStoreFailure) {
    guard answer.succeeded, answer.ranges.count == 2,
      answer.ranges.joined().allSatisfy({ $0.key.utf8.starts(with: prefix.utf8) })
    else { throw .strange }
    self.init(
      objects: answer.ranges[1].filter { $0.revision > since }.map { SharedStore.Object($0) },
      keys: Set(answer.ranges[0].map(\.key)),
      standing: SharedStore.Standing(answer.header)
    )
  }
}

/// Reads a reply that came with a status of success.
private func read<Message>(_ parse: () throws(WireFlaw) -> Message) throws(SharedStoreFailure) -> Message {
  do throws(WireFlaw) { return try parse() } catch { throw .strange }
}

extension SharedStoreFailure {
  fileprivate static let strange = SharedStoreFailure.failed(reason: "the cluster does not answer as etcd does")
}

extension SharedStore.Object {
  fileprivate init(_ pair: KeyValue) { self.init(key: pair.key, bytes: pair.value, version: pair.revision) }
}

extension SharedStore.Standing {
  /// The cluster's identifier as `etcdctl` writes it.
  fileprivate init(_ header: ResponseHeader) {
    self.init(identifier: String(header.cluster, radix: 16), revision: header.revision)
  }
}
