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

extension IPAddress {
  /// `true` if it may be the address of a server on the public internet.
  ///
  /// The special-purpose registries (RFC 6890) reserve the addresses that are not public: those of this machine, its
  /// link, private networks and groups. An IPv6 address that embeds an IPv4 address is judged as that.
  package var isPublic: Bool {
    if let inner = embedded { return inner.isPublic }
    return !IPAddress.reserved.contains { shares(firstBits: $0.bits, with: $0.network) }
  }

  /// `true` if it is a loopback address: 127.0.0.0/8, or `::1`.
  package var isLoopback: Bool {
    if let inner = embedded { return inner.isLoopback }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
  }

  /// The IPv4 address that it stands for: mapped or compatible (RFC 4291, section 2.5.5), NAT64
  /// (RFC 6052), 6to4 (RFC 3056).
  private var embedded: IPAddress? {
    guard bytes.count == 16 else { return nil }
    let isUnspecifiedOrLoopback = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
    guard !isUnspecifiedOrLoopback else { return nil }
    let prefixes: [(prefix: [UInt8], start: Int)] = [
      (Array(repeating: 0, count: 12), 12),
      (Array(repeating: 0, count: 10) + [0xFF, 0xFF], 12),
      ([0x00, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8), 12),
      ([0x20, 0x02], 2),
    ]
    guard let match = prefixes.first(where: { bytes.starts(with: $0.prefix) }) else { return nil }
    return IPAddress(bytes: Array(bytes[match.start..<(match.start + 4)]))
  }

  private static let reserved: [(network: IPAddress, bits: Int)] = [
    ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
    ("172.16.0.0", 12), ("192.0.0.0", 24), ("192.168.0.0", 16), ("198.18.0.0", 15),
    // Multicast and reserved addresses, with the broadcast address.
    ("224.0.0.0", 3),
    ("::", 127), ("64:ff9b:1::", 48), ("100::", 64),
    // Teredo: the IPv4 address behind it is hidden, and nothing uses it any more.
    ("2001::", 32),
    ("fc00::", 7), ("fe80::", 10), ("fec0::", 10), ("ff00::", 8),
  ].compactMap { text, bits in IPAddress(text).map { ($0, bits) } }
}

extension Origin {
  /// `true` unless its host, as it is written, belongs to this machine or a private network.
  ///
  /// A name proves little: the address that it resolves to is checked when the connection is made.
  package var mayBePublic: Bool {
    var host = unbracketedHost
    if host.hasSuffix(".") { host.removeLast() }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    if let address = IPAddress(host) {
      // `0177.0.0.1`: with a leading zero a part is octal to resolvers.
      let isPlain = host.contains(":") || !labels.contains { $0.count > 1 && $0.hasPrefix("0") }
      return isPlain && address.isPublic
    }
    guard let last = labels.last, let first = last.utf8.first else { return false }
    // `127.1` and `0x7f000001`: resolvers read an address where the last label begins as a number.
    return last != "localhost" && !first.isASCIIDigit
  }
}
