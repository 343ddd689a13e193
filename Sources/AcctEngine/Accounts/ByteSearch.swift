/// Bytes that are looked for in many files.
struct ByteSearch {
  private let bytes: [UInt8]

  /// - Parameter bytes: What to look for; at least one byte.
  init(of bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the bytes occur in `text`.
  func isIn(_ text: [UInt8]) -> Bool {
    let sought = bytes.span
    let text = text.span
    var start = 0
    while start + sought.count <= text.count {
      var length = 0
      while length < sought.count, text[start + length] == sought[length] { length += 1 }
      if length == sought.count { return true }
      start += 1
    }
    return false
  }
}
