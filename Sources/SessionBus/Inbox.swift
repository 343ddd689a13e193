import Secrets
import Glibc

/// Bytes that were received and not yet taken; they may hold secrets, and no copy stays unwiped.
@safe final class Inbox {
  private var storage: UnsafeMutableRawBufferPointer
  private var filled = 0

  init() { unsafe storage = .allocate(byteCount: 1 << 14, alignment: 16) }

  deinit { unsafe Self.discard(storage) }

  /// Receives more.
  ///
  /// - Throws: As ``BusSocket/receive(into:)``.
  func fill(from socket: borrowing BusSocket) throws(BusError) {
    reserve(filled + 1)
    filled += try unsafe socket.receive(into: .init(rebasing: storage[filled...]))
  }

  /// Receives the bytes that are there, without waiting; returns whether there were any.
  ///
  /// - Throws: As ``BusSocket/receiveWhatIsThere(into:)``.
  func fillWithWhatIsThere(from socket: borrowing BusSocket) throws(BusError) -> Bool {
    reserve(filled + 1)
    let count = try unsafe socket.receiveWhatIsThere(into: .init(rebasing: storage[filled...]))
    filled += count
    return count > 0
  }

  /// Makes room for a message of so many bytes.
  func reserve(_ count: Int) {
    guard unsafe count > storage.count else { return }
    let larger = unsafe UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * storage.count), alignment: 16)
    unsafe larger.copyMemory(from: .init(rebasing: storage[..<filled]))
    unsafe Self.discard(storage)
    unsafe storage = larger
  }

  /// Lends the bytes that are there.
  func withBytes<Result>(_ body: (Span<UInt8>) throws(BusError) -> Result) throws(BusError) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: storage[..<filled])
    return try unsafe body(Span(_unsafeBytes: bytes))
  }

  /// Takes the first so many bytes out.
  func take(_ count: Int) -> Secret {
    let taken = unsafe Secret(storage[..<count])
    let rest = unsafe UnsafeRawBufferPointer(rebasing: storage[count..<filled])
    unsafe storage.copyMemory(from: rest)
    // A connection may be kept for days, and bytes that were taken must not be kept with it.
    let vacated = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[(filled - count)..<filled])
    if let start = vacated.baseAddress { unsafe explicit_bzero(start, vacated.count) }
    filled -= count
    return taken
  }

  private static func discard(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    unsafe explicit_bzero(start, buffer.count)
    unsafe buffer.deallocate()
  }
}
