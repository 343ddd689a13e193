package import AcctPorts
import Synchronization

/// What a request of the user's sends: a source for each attempt, as long as it can be had whole.
///
/// A file is opened for each attempt. Of what can be read only once, such as a pipe, the beginning is
/// kept.
package actor RequestBody {
  /// How much is kept, in bytes.
  ///
  /// A request that is refused is refused for its head: its server
  /// has seen little of the body, and none of it if it knows how to be asked first.
  private static let limit = 1 << 20

  /// Opens it from the beginning, where that is possible.
  private let open: (@Sendable () throws(StreamFailure) -> ByteSource)?
  private let kept: [[UInt8]]
  /// What comes after the kept part, once.
  private let rest: ByteSource?
  private var isRestBegun = false
  /// The attempt that may go on to the rest; an older one is over, whether it knows or not.
  private var attempts = 0

  private init(
    kept: [[UInt8]] = [],
    rest: ByteSource? = nil,
    open: (@Sendable () throws(StreamFailure) -> ByteSource)? = nil
  ) {
    self.kept = kept
    self.rest = rest
    self.open = open
  }

  /// Bytes that are there.
  package static func bytes(_ bytes: [UInt8]) -> RequestBody { RequestBody(kept: bytes.isEmpty ? [] : [bytes]) }

  /// A file, or standard input for `-`.
  ///
  /// A regular file is opened for each attempt. Of anything else as much is read as is kept, so
  /// that a short body is sent like a file's: with its length, and again if need be.
  ///
  /// - Parameters:
  ///   - path: As the user gave it.
  ///   - streams: Where to find it.
  /// - Returns: The body.
  /// - Throws: Why it can't be read.
  package static func contents(of path: String, in streams: Streams) async throws(StreamFailure) -> RequestBody {
    let first = try streams.source(path)
    guard first.length == nil else {
      return RequestBody(open: { () throws(StreamFailure) in try streams.source(path) })
    }
    return try await passing(first)
  }

  /// A source that can be read once; as much of it is read as is kept.
  static func passing(_ source: ByteSource) async throws(StreamFailure) -> RequestBody {
    var kept: [[UInt8]] = []
    var count = 0
    while count <= limit {
      guard let part = try await source.next() else { return RequestBody(kept: kept) }
      kept.append(part)
      count += part.count
    }
    return RequestBody(kept: kept, rest: source)
  }

  /// Whether there is more of it than is kept: it can be sent once.
  nonisolated var comesOnce: Bool { rest != nil }

  /// Whether ``attempt()`` would have a source.
  var canRepeat: Bool { !isRestBegun }

  /// A source that begins at the beginning; `nil` if some of it is gone.
  func attempt() throws(StreamFailure) -> ByteSource? {
    if let open { return try open() }
    guard canRepeat else { return nil }
    attempts += 1
    let attempt = attempts
    let next = Mutex(0)
    return ByteSource(length: length) { () async throws(StreamFailure) in
      let index = next.withLock { index in
        defer { index += 1 }
        return index
      }
      return try await self.part(index, of: attempt)
    }
  }

  /// A client of the proxy may have said it beforehand; some servers take nothing without.
  private var length: Int64? {
    if let rest { return rest.length }
    return kept.reduce(0) { $0 + Int64($1.count) }
  }

  private func part(_ index: Int, of attempt: Int) async throws(StreamFailure) -> [UInt8]? {
    if index < kept.count { return kept[index] }
    guard let rest, attempt == attempts else { return nil }
    isRestBegun = true
    return try await rest.next()
  }
}
