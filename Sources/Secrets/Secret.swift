import Glibc

/// Bytes that never print themselves and are wiped when the last reference is released.
///
/// Interpolating, describing or dumping a secret yields `<redacted>`; it is not `Codable`. Its
/// bytes are given up by ``withBytes(_:)`` alone, so every disclosure is one search away.
package struct Secret: Sendable {
  private let storage: Storage

  /// Copies `bytes`; wiping the original is the caller's task.
  package init(_ bytes: some Sequence<UInt8>) {
    if let copied = bytes.withContiguousStorageIfAvailable({ unsafe Storage(copying: $0) }) {
      storage = copied
      return
    }
    // A copy of the copy, since their number is known only afterwards. Its capacity is reserved first, in full where
    // the number is known, so that no reallocation leaves an unwiped copy behind.
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.underestimatedCount)
    copy.append(contentsOf: bytes)
    storage = Storage(copying: copy.span)
    wipe(&copy)
  }

  /// Copies the UTF-8 of `text`.
  package init(_ text: String) { self.init(text.utf8) }

  /// Copies the bytes of a span.
  package init(_ span: Span<UInt8>) { storage = Storage(copying: span) }

  /// Copies `bytes`, then wipes and empties the caller's array: no second copy remains.
  ///
  /// Another array with the same bytes keeps them, even one that shares the caller's buffer.
  package init(consuming bytes: inout [UInt8]) {
    self.init(bytes.span)
    unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe explicit_bzero(base, buffer.count)
    }
    bytes = []
  }

  /// Joins secrets, and parts that are not secret, as in `DPoP <token>`.
  package init(joining parts: [Secret]) {
    storage = unsafe Storage(count: parts.reduce(0) { $0 + $1.count }) { room in
      var filled = 0
      for part in parts {
        part.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe room[filled...].copyBytes(from: $0) } }
        filled += part.count
      }
    }
  }

  /// The number of bytes.
  package var count: Int { storage.count }

  /// Lends the bytes for the length of a call; the body must not keep a copy.
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result { try storage.withBytes(body) }
}

extension Secret: Equatable {
  /// Compares in time that depends on the lengths alone.
  package static func == (left: Secret, right: Secret) -> Bool {
    guard left.count == right.count else { return false }
    return left.withBytes { left in
      right.withBytes { right in
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
      }
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Overwrites a buffer that held a secret; the optimizer cannot drop it.
package func wipe(_ bytes: inout [UInt8]) { unsafe explicit_bzero(&bytes, bytes.count) }

/// The one owner of a secret's bytes.
@safe private final class Storage: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  var count: Int { unsafe memory.count }

  /// Takes memory, which `fill` writes to from its beginning to its end.
  init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    unsafe memory = SecretMemory.take(count)
    unsafe fill(memory)
  }

  convenience init(copying bytes: Span<UInt8>) {
    unsafe self.init(count: bytes.count) { room in unsafe bytes.withUnsafeBytes { unsafe room.copyBytes(from: $0) } }
  }

  convenience init(copying bytes: UnsafeBufferPointer<UInt8>) {
    unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  deinit { unsafe SecretMemory.release(memory) }

  func withBytes<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { extendLifetime(self) }
    let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
    return try body(unsafe bytes.span)
  }
}
