import Glibc

/// Bytes that never print themselves and are wiped when the last reference is released.
///
/// Interpolating, describing or dumping a secret yields `<redacted>`; it is not `Codable`. Its
/// bytes are given up by ``withBytes(_:)`` alone, so every disclosure is one search away.
package struct Secret: Sendable {
  private let storage: Storage

  /// Copies `bytes`; wiping the original is the caller's task.
  package init(_ bytes: some Sequence<UInt8>) {
    // Appended: `Array(bytes)` may share an array's buffer, and wiping would reach the original.
    // The room is made first, so that the array takes no other's buffer, either.
    var copy: [UInt8] = []
    copy.reserveCapacity(max(1, bytes.underestimatedCount))
    copy.append(contentsOf: bytes)
    storage = Storage(copy)
  }

  /// Copies the UTF-8 of `text`.
  package init(_ text: String) { self.init(text.utf8) }

  /// Copies the bytes of a span.
  package init(_ span: Span<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(span.count)
    for index in span.indices { bytes.append(span[index]) }
    storage = Storage(bytes)
  }

  /// Copies `bytes`, then wipes and empties the caller's array: no second copy remains.
  ///
  /// Another array with the same bytes keeps them, even one that shares the caller's buffer.
  package init(consuming bytes: inout [UInt8]) {
    self.init(bytes)
    unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe explicit_bzero(base, buffer.count)
    }
    bytes = []
  }

  /// Joins text that is no secret with secrets, as in `DPoP <token>`.
  package init(joining parts: [Secret]) {
    var bytes: [UInt8] = []
    // Reserved in full, so that no half-grown copy is left behind unwiped.
    bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    for part in parts { bytes.append(contentsOf: part.storage.bytes) }
    self.init(consuming: &bytes)
  }

  /// The number of bytes.
  package var count: Int { storage.bytes.count }

  /// Lends the bytes for the length of a call; the body must not keep a copy.
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = storage.bytes
    return try body(bytes.span)
  }
}

extension Secret: Equatable {
  /// Compares in time that depends on the lengths alone.
  package static func == (left: Secret, right: Secret) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count {
      difference |= left.storage.bytes[index] ^ right.storage.bytes[index]
    }
    return difference == 0
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
private final class Storage: Sendable {
  let bytes: [UInt8]

  /// Takes an array that nothing else shares its buffer with, since that will be wiped.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  deinit {
    // `explicit_bzero` writes through a pointer that nothing else uses any more; an assignment
    // would be dropped by the optimizer as a dead store.
    unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: base), buffer.count)
    }
  }
}
