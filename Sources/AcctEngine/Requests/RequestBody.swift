package import AcctPorts

/// What a request of the user's sends: a source for each attempt, as long as it can be had whole.
package struct RequestBody: Sendable {
  /// Whether there is more of it than is kept: who sends it can do so once.
  let comesOnce: Bool
  /// A source that begins at the beginning; `nil` if some of it is gone.
  let attempt: @Sendable () async throws(StreamFailure) -> ByteSource?
  /// Whether ``attempt`` would have one.
  let canRepeat: @Sendable () async -> Bool

  /// Bytes that are there.
  package static func bytes(_ bytes: [UInt8]) -> RequestBody {
    RequestBody(
      comesOnce: false,
      attempt: { PipedBody.source(of: bytes) },
      canRepeat: { true }
    )
  }

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
  package static func contents(
    of path: String,
    in streams: Streams
  ) async throws(StreamFailure) -> RequestBody {
    let first = try streams.source(path)
    if first.length != nil {
      return RequestBody(
        comesOnce: false,
        attempt: { () async throws(StreamFailure) in try streams.source(path) },
        canRepeat: { true }
      )
    }
    return try await passing(first)
  }

  /// A source that can be read once; as much of it is read as is kept.
  static func passing(_ source: ByteSource) async throws(StreamFailure) -> RequestBody {
    let body = try await PipedBody(source)
    return RequestBody(
      comesOnce: body.comesOnce,
      attempt: { await body.attempt() },
      canRepeat: { await body.canRepeat }
    )
  }
}

/// A body that comes once, of which the beginning is kept.
private actor PipedBody {
  /// How much is kept, in bytes.
  ///
  /// A request that is refused is refused for its head: its server
  /// has seen little of the body, and none of it if it knows how to be asked first.
  private static let limit = 1 << 20

  private let kept: [[UInt8]]
  private let rest: ByteSource?
  private var isRestBegun = false
  /// The attempt that may go on to the rest; an older one is over, whether it knows or not.
  private var attempts = 0

  /// Reads as much as is kept.
  init(_ source: ByteSource) async throws(StreamFailure) {
    var kept: [[UInt8]] = []
    var count = 0
    var isWhole = false
    while count <= Self.limit && !isWhole {
      if let part = try await source.next() {
        kept.append(part)
        count += part.count
      } else {
        isWhole = true
      }
    }
    self.kept = kept
    rest = isWhole ? nil : source
  }

  nonisolated var comesOnce: Bool { rest != nil }

  var canRepeat: Bool { !isRestBegun }

  func attempt() -> ByteSource? {
    guard canRepeat else { return nil }
    attempts += 1
    let attempt = attempts
    let position = Position()
    return ByteSource(
      // A client of the proxy has said it beforehand; some servers take nothing without.
      length: rest?.length ?? (rest == nil ? Int64(kept.reduce(0) { $0 + $1.count }) : nil)
    ) { () async throws(StreamFailure) in
      try await self.part(await position.next(), of: attempt)
    }
  }

  private func part(_ index: Int, of attempt: Int) async throws(StreamFailure) -> [UInt8]? {
    if index < kept.count { return kept[index] }
    guard let rest, attempt == attempts else { return nil }
    isRestBegun = true
    return try await rest.next()
  }

  /// A source of bytes that are in memory.
  static func source(of bytes: [UInt8]) -> ByteSource {
    let position = Position()
    return ByteSource(length: Int64(bytes.count)) {
      await position.next() == 0 && !bytes.isEmpty ? bytes : nil
    }
  }
}

/// Which part of a body is next.
private actor Position {
  private var index = -1

  func next() -> Int {
    index += 1
    return index
  }
}
