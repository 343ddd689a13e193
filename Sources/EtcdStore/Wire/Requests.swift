package import Secrets

/// `RangeRequest` of etcd's `rpc.proto`: reads a key, or all keys under a prefix; linearizable.
package struct RangeRequest: Sendable {
  package var key: [UInt8]
  /// The first key that is not read any more; `nil` for the key alone.
  package var end: [UInt8]?
  package var keysOnly = false
  /// Leaves out keys that were last changed before.
  package var minimumRevision: Int64?

  /// Reads one key.
  package init(key: String) { self.key = Array(key.utf8) }

  /// Reads all keys that begin so.
  package init(prefix: String) {
    let start = Array(prefix.utf8)
    var end = start
    // UTF-8 has no byte 255, so that the last byte can always be one more.
    if let last = end.popLast() { end.append(last &+ 1) }
    // A zero byte stands for the first key, and for no end.
    key = start.isEmpty ? [0] : start
    self.end = end.isEmpty ? [0] : end
  }

  package var message: MessageWriter {
    var writer = MessageWriter()
    writer.bytes(1, key)
    if let end { writer.bytes(2, end) }
    if keysOnly { writer.number(8, 1) }
    if let minimumRevision { writer.number(10, minimumRevision) }
    return writer
  }
}

/// `TxnRequest` of etcd's `rpc.proto`: some of it is done at one moment.
package struct TxnRequest: Sendable {
  /// Decides: whether a key was last changed at a revision, 0 standing for a key that is not there.
  package var comparison: (key: String, revision: Int64)?
  /// The operations if that is so, or if nothing is compared.
  package var success: [Operation]
  /// The operations if it is not.
  package var failure: [Operation]

  package init(comparison: (key: String, revision: Int64)? = nil, success: [Operation], failure: [Operation] = []) {
    self.comparison = comparison
    self.success = success
    self.failure = failure
  }

  /// `RequestOp`.
  package enum Operation: Sendable {
    case range(RangeRequest)
    case put(key: String, value: [UInt8])
    case delete(key: String)
  }

  package var message: MessageWriter {
    var writer = MessageWriter()
    if let comparison {
      var compare = MessageWriter()
      // EQUAL and MOD; a revision of 0 has to be written, too: it is one of several that there may be.
      compare.number(1, 0)
      compare.number(2, 2)
      compare.bytes(3, comparison.key.utf8)
      compare.number(6, comparison.revision)
      writer.message(1, compare)
    }
    for operation in success { writer.message(2, operation.message) }
    for operation in failure { writer.message(3, operation.message) }
    return writer
  }
}

extension TxnRequest.Operation {
  fileprivate var message: MessageWriter {
    var writer = MessageWriter()
    switch self {
    case .range(let range): writer.message(1, range.message)
    case .put(let key, let value):
      var put = MessageWriter()
      put.bytes(1, key.utf8)
      put.bytes(2, value)
      writer.message(2, put)
    case .delete(let key):
      var delete = MessageWriter()
      delete.bytes(1, key.utf8)
      writer.message(3, delete)
    }
    return writer
  }
}

/// `AuthenticateRequest` of etcd's `rpc.proto`.
package struct AuthenticateRequest: Sendable {
  package var user: String
  package var password: Secret

  package init(user: String, password: Secret) {
    self.user = user
    self.password = password
  }

  /// The message, which has the password in it.
  package var message: Secret {
    // Two tags and two lengths have 22 bytes at most.
    var writer = MessageWriter(capacity: user.utf8.count + password.count + 22)
    writer.bytes(1, user.utf8)
    password.withBytes { span in
      var copy: [UInt8] = []
      copy.reserveCapacity(span.count)
      for index in span.indices { copy.append(span[index]) }
      writer.bytes(2, copy)
      wipe(&copy)
    }
    return writer.secret()
  }
}
