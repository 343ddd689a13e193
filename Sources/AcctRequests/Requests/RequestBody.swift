import AcctPorts
import Synchronization

/// The body of a request that the user makes: a source for each attempt, as long as the whole is available.
///
/// A file is opened for each attempt. Of a source that can be read only once, such as a pipe, the beginning is kept.
actor RequestBody {
  /// The number of bytes that are kept.
  ///
  /// A rejected request is rejected for its head: its server has received little of the body, and none of it if it
  /// supports being asked first.
  private static let limit = 1 << 20

  /// Opens it from the beginning; `nil` if that is impossible.
  private let open: (@Sendable () throws(StreamFailure) -> ByteSource)?
  private let kept: [[UInt8]]
  /// The rest after the kept part, which can be read once.
  private let rest: ByteSource?
  private var isRestBegun = false
  /// The attempt that may read the rest; an older one has ended, even if it does not know.
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

  /// A body of bytes in memory.
  static func bytes(_ bytes: [UInt8]) -> RequestBody { RequestBody(kept: bytes.isEmpty ? [] : [bytes]) }

  /// A body from a file, or from standard input for `-`.
  ///
  /// A regular file is opened for each attempt. Of anything else, up to the limit is read at once, so that a short
  /// body is sent like a file's: with its length, and again if necessary.
  ///
  /// - Parameters:
  ///   - path: The path as the user gave it.
  ///   - streams: The streams, which open it.
  /// - Returns: The body.
  /// - Throws: The reason why it can't be read.
  static func contents(of path: String, in streams: Streams) async throws(StreamFailure) -> RequestBody {
    let first = try streams.source(path)
    guard first.length == nil else {
      return RequestBody(open: { () throws(StreamFailure) in try streams.source(path) })
    }
    return try await passing(first)
  }

  /// A body from a source that can be read once; up to the limit is read at once.
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

  /// `true` if it is longer than the kept part: it can be sent once.
  nonisolated var comesOnce: Bool { rest != nil }

  /// `true` if ``attempt()`` would return a source.
  var canRepeat: Bool { !isRestBegun }

  /// A source of the whole body; `nil` if a part of it is no longer available.
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

  /// The length, if known: a client of the proxy may have stated it beforehand; some servers accept no body without
  /// it.
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
