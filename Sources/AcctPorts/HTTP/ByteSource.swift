/// Bytes of any number, such as a large file's, handed out part by part.
///
/// For one reader, once. Memory holds a part, never the whole.
package struct ByteSource: Sendable {
  /// How many bytes there are in all; `nil` where only their end tells, as with a pipe.
  package var length: Int64?
  /// Returns the next part, never an empty one, and `nil` at the end.
  package var next: @Sendable () async throws(StreamFailure) -> [UInt8]?

  package init(length: Int64?, next: @escaping @Sendable () async throws(StreamFailure) -> [UInt8]?) {
    self.length = length
    self.next = next
  }
}

/// Where bytes of any number go, part by part.
package struct ByteSink: Sendable {
  /// Writes a part; waits until it is read.
  package var write: @Sendable ([UInt8]) throws(StreamFailure) -> Void
  /// Completes the output: a file appears under its name only now, whole.
  package var finish: @Sendable () throws(StreamFailure) -> Void
  /// Discards the output: a file stays as it was before, or absent.
  package var discard: @Sendable () -> Void
  /// Whether ``discard`` leaves nothing behind; not so if written bytes are gone at once.
  package var isAtomic: Bool

  package init(
    write: @escaping @Sendable ([UInt8]) throws(StreamFailure) -> Void,
    finish: @escaping @Sendable () throws(StreamFailure) -> Void,
    discard: @escaping @Sendable () -> Void,
    isAtomic: Bool
  ) {
    self.write = write
    self.finish = finish
    self.discard = discard
    self.isAtomic = isAtomic
  }
}
