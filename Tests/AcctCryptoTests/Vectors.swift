import Foundation

/// The fields of each line of a vector file.
func vectors(_ name: String) throws -> [[String]] {
  let file = Bundle.module.bundleURL.appending(path: "Vectors/\(name)")
  return try String(contentsOf: file, encoding: .utf8)
    .split(separator: "\n")
    .filter { !$0.hasPrefix("#") }
    .map { $0.split(separator: " ").map(String.init) }
}

/// The bytes that hexadecimal digits stand for; `-` is none.
func bytes(_ hex: String) -> [UInt8] {
  guard hex != "-" else { return [] }
  return stride(from: 0, to: hex.utf8.count, by: 2).compactMap { offset in
    UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
  }
}

/// The hexadecimal digits of bytes, two for each.
func hex(_ bytes: Span<UInt8>) -> String {
  bytes.indices.map { String(bytes[$0] >> 4, radix: 16) + String(bytes[$0] & 15, radix: 16) }.joined()
}
