import Text

/// An IP address written out (RFC 4291, section 2.2), as its 4 or 16 bytes.
package struct IPAddress: Equatable, Sendable {
  package let bytes: [UInt8]

  /// Parses dotted decimal or colon notation, without brackets; `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    guard let bytes = text.contains(":") ? sixteen(text) : four(text) else { return nil }
    self.bytes = bytes
  }

  /// The address of 4 or 16 bytes in network order; `nil` for any other number.
  package init?(bytes: [UInt8]) {
    guard [4, 16].contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Returns `true` if the first `count` bits of both are equal.
  package func shares(firstBits count: Int, with other: IPAddress) -> Bool {
    guard bytes.count == other.bytes.count, count <= bytes.count * 8 else { return false }
    return (0..<count).allSatisfy { bit in (bytes[bit / 8] ^ other.bytes[bit / 8]) & (0x80 >> (bit % 8)) == 0 }
  }
}

extension Origin {
  /// The host without the brackets of an IPv6 address.
  package var unbracketedHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}

private func four(_ text: some StringProtocol) -> [UInt8]? {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  let bytes = parts.compactMap { part in part.utf8.allSatisfy(\.isASCIIDigit) ? UInt8(part) : nil }
  return parts.count == 4 && bytes.count == 4 ? bytes : nil
}

private func sixteen(_ text: some StringProtocol) -> [UInt8]? {
  // `::` stands for as many zeros as are missing, once.
  let pieces = String(text).split(separator: "::", omittingEmptySubsequences: false)
  guard pieces.count <= 2, let first = pieces.first, let head = groups(first) else { return nil }
  guard pieces.count == 2 else { return head.count == 16 ? head : nil }
  guard let tail = groups(pieces[1]), head.count + tail.count <= 14 else { return nil }
  return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
}

/// Groups of up to four hex digits between colons; the last may be an IPv4 address.
private func groups(_ text: Substring) -> [UInt8]? {
  guard !text.isEmpty else { return [] }
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  var bytes: [UInt8] = []
  for (index, part) in parts.enumerated() {
    if index == parts.count - 1, let address = four(part) {
      bytes += address
    } else if part.utf8.count <= 4, part.first != "+", let group = UInt16(part, radix: 16) {
      bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
    } else {
      return nil
    }
  }
  return bytes
}
