package import Secrets

/// A header line of a request, as libcurl takes it: without its end.
package struct HeaderLine: Sendable {
  private let name: String
  private let value: Secret?

  /// Without a value it is a field that libcurl would add by itself, and that is not to be sent.
  package init(_ name: String, _ value: Secret?) {
    self.name = name
    self.value = value
  }

  /// The number of bytes.
  var count: Int {
    guard let value, value.count > 0 else { return name.utf8.count + 1 }
    return name.utf8.count + 2 + value.count
  }

  /// Writes the bytes to the beginning of `room`.
  func write(to room: UnsafeMutableRawBufferPointer) {
    var rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[name.utf8.count...])
    unsafe room.copyBytes(from: name.utf8)
    guard let value, value.count > 0 else {
      // A name alone suppresses a field, and a semicolon is libcurl's way to write one without a value.
      unsafe rest[0] = UInt8(ascii: value == nil ? ":" : ";")
      return
    }
    unsafe rest.copyBytes(from: ": ".utf8)
    unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[2...])
    value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) } }
  }
}
