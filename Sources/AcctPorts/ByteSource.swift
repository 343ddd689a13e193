/// Bytes of any number, such as a large file's, handed out part by part.
///
/// One reader at a time; memory holds a part, never the whole.
package struct ByteSource: Sendable {
  /// How many bytes there are in all; `nil` where only their end tells, as with a pipe.
  package var length: Int64?
  /// Returns the next part, never an empty one, and `nil` at the end.
  package var next: @Sendable () async throws(StreamFailure) -> [UInt8]?
  /// Begins again with the first byte; `nil` where what was read is gone.
  package var rewind: (@Sendable () throws(StreamFailure) -> Void)?

  package init(
    length: Int64?,
    next: @escaping @Sendable () async throws(StreamFailure) -> [UInt8]?,
    rewind: (@Sendable () throws(StreamFailure) -> Void)? = nil
  ) {
    self.length = length
    self.next = next
    self.rewind = rewind
  }
}
