package import AcctPorts
package import FleetPorts
import Synchronization

/// An engine that lives as long as the test, which can take it away, cut its answers off, and restore an old state of it.
///
/// It is as strict as the real ones: it is prepared first, its keys begin with `/acct/`, objects are small, and it counts
/// one revision for all changes. It passes the same contract suite.
package final class InMemoryStore: Sendable {
  /// What befalls the next swap.
  package enum Mishap: Sendable {
    /// It is not made, and nothing is answered.
    case lost
    /// It is made, and nothing is answered.
    case unanswered
    /// Nothing befalls it.
    case nothing
    /// It is made, and nothing is answered, and the engine is away from then on.
    case unansweredThenAway
    /// It is not made, and the engine is away from then on.
    case lostThenAway
  }

  fileprivate struct Contents {
    var objects: [String: SharedStore.Object] = [:]
    var standing = SharedStore.Standing(identifier: "in memory", revision: 1)
    var isPrepared = false
    var failure: SharedStoreFailure?
    var mishaps: [Mishap] = []
    var beforeSwap: (@Sendable (String) -> Void)?
    var beforeGet: (@Sendable (String) -> Void)?
    var isHeaderDenied = false
    var isReader = false
    var swaps = 0
    var gets = 0
    var listings = 0
    var written: [[UInt8]] = []
    var keys: Set<String> = []
  }

  private let contents = Mutex(Contents())

  package init() {}

  /// What it has, as it lies there.
  package var objects: [String: SharedStore.Object] { contents.withLock { $0.objects } }
  /// Every value and every key that it was ever given.
  package var seen: (values: [[UInt8]], keys: Set<String>) { contents.withLock { ($0.written, $0.keys) } }
  /// How many calls it was asked for, those that failed among them.
  package var calls: (gets: Int, swaps: Int, listings: Int) { contents.withLock { ($0.gets, $0.swaps, $0.listings) } }

  /// Makes every call fail from now on, or none any more.
  package func fail(with failure: SharedStoreFailure?) { contents.withLock { $0.failure = failure } }

  /// Lets something befall the swaps that come next, one after the other.
  package func befall(_ mishaps: Mishap...) { contents.withLock { $0.mishaps += mishaps } }

  /// Lets nothing befall the next swaps any more; returns how many mishaps had not come yet.
  package func clearMishaps() -> Int {
    contents.withLock { contents in
      defer { contents.mishaps = [] }
      return contents.mishaps.count
    }
  }

  /// Does something once before the next swap of a key, as another machine might.
  package func interruptNextSwap(_ action: @escaping @Sendable (_ key: String) -> Void) {
    contents.withLock { $0.beforeSwap = action }
  }

  /// Does something once before the next read of a key, as another machine might.
  package func interruptNextGet(_ action: @escaping @Sendable (_ key: String) -> Void) {
    contents.withLock { $0.beforeGet = action }
  }

  /// Denies every write of the header from now on, as to a member on etcd, or no more.
  package func denyHeader(_ isDenied: Bool = true) { contents.withLock { $0.isHeaderDenied = isDenied } }

  /// Denies every write from now on, as to a role that only reads.
  package func denyWrites() { contents.withLock { $0.isReader = true } }

  /// A backup of all that it has.
  package func backup() -> @Sendable () -> Void {
    let (objects, standing) = contents.withLock { ($0.objects, $0.standing) }
    return {
      self.contents.withLock { contents in
        contents.objects = objects
        contents.standing = standing
      }
    }
  }

  /// Puts something under a key, as an attacker with the engine's rights can.
  ///
  /// The version is the one that it claims to have, if that is not the next one.
  package func put(_ bytes: [UInt8], at key: String, version: Int64? = nil) {
    contents.withLock { contents in
      contents.standing.revision += 1
      contents.objects[key] = .init(key: key, bytes: bytes, version: version ?? contents.standing.revision)
    }
  }

  /// Deletes what is under a key, as an attacker with the engine's rights can.
  package func delete(_ key: String) {
    contents.withLock { contents in
      contents.standing.revision += 1
      contents.objects[key] = nil
    }
  }

  /// Lets other objects of the same engine change, so many times.
  package func advance(by count: Int64) { contents.withLock { $0.standing.revision += count } }

  /// Becomes another engine, as a cluster that is set up anew.
  package func rename(to identifier: String) { contents.withLock { $0.standing.identifier = identifier } }

  /// The store as a client of it gets it.
  package var store: SharedStore {
    SharedStore(
      prepare: { () throws(SharedStoreFailure) in
        try self.contents.withLock { contents throws(SharedStoreFailure) in
          if let failure = contents.failure { throw failure }
          contents.isPrepared = true
        }
      },
      get: { key throws(SharedStoreFailure) in
        self.contents.withLock { $0.beforeGet.take() }?(key)
        return try self.use { contents throws(SharedStoreFailure) in
          contents.gets += 1
          try contents.check(key)
          return .init(object: contents.objects[key], standing: contents.standing)
        }
      },
      swap: { key, bytes, version throws(SharedStoreFailure) in
        self.contents.withLock { $0.beforeSwap.take() }?(key)
        return try self.use { contents throws(SharedStoreFailure) in try contents.swap(key, bytes, version) }
      },
      changes: { prefix, since throws(SharedStoreFailure) in
        try self.use { contents throws(SharedStoreFailure) in
          contents.listings += 1
          try contents.check(prefix)
          let objects = contents.objects.values.filter { $0.key.hasPrefix(prefix) }
          return .init(
            objects: objects.filter { $0.version > since },
            keys: Set(objects.map(\.key)),
            standing: contents.standing
          )
        }
      }
    )
  }

  private func use<Result: Sendable>(
    _ body: (inout Contents) throws(SharedStoreFailure) -> Result
  ) throws(SharedStoreFailure) -> Result {
    try contents.withLock { contents throws(SharedStoreFailure) in
      if let failure = contents.failure { throw failure }
      guard contents.isPrepared else { throw .notPrepared(reason: "a test has not prepared it") }
      return try body(&contents)
    }
  }
}

extension InMemoryStore.Contents {
  fileprivate func check(_ key: String) throws(SharedStoreFailure) {
    guard key.hasPrefix("/acct/"), key.utf8.count < 512 else { throw .denied(reason: "this user may not use the key") }
  }

  fileprivate mutating func swap(
    _ key: String,
    _ bytes: [UInt8]?,
    _ version: Int64?
  ) throws(SharedStoreFailure) -> Int64? {
    swaps += 1
    try check(key)
    guard bytes?.count ?? 0 <= 1_500_000 else { throw .failed(reason: "the request is too large") }
    guard !isReader, !isHeaderDenied || !key.hasSuffix("/header") else { throw .denied(reason: "a test said so") }
    let mishap = mishaps.isEmpty ? nil : mishaps.removeFirst()
    switch mishap {
    case .lost: throw .timedOut
    case .lostThenAway:
      failure = .unavailable(reason: "a test said so")
      throw .timedOut
    case .unanswered, .unansweredThenAway, .nothing, nil: break
    }
    keys.insert(key)
    if let bytes { written.append(bytes) }
    let swapped = swapped(key, bytes, version)
    switch mishap {
    case .unanswered: throw .timedOut
    case .unansweredThenAway:
      failure = .unavailable(reason: "a test said so")
      throw .timedOut
    case .lost, .lostThenAway, .nothing, nil: return swapped
    }
  }

  private mutating func swapped(_ key: String, _ bytes: [UInt8]?, _ version: Int64?) -> Int64? {
    guard objects[key]?.version == version else { return nil }
    if bytes == nil, version == nil { return standing.revision }
    standing.revision += 1
    objects[key] = bytes.map { .init(key: key, bytes: $0, version: standing.revision) }
    return standing.revision
  }
}
