import AcctModel

/// The hosts that no proxy is used for: `NO_PROXY`, read as curl reads it, and with ports.
///
/// libcurl does not say which way it took before a connection is open, and ``Transfer`` limits what a direct
/// one may reach.
///
/// The whole value `*` means every host. Otherwise it is a list, by commas or blanks, of names
/// (each with everything below it; a leading or trailing dot makes no difference), addresses and
/// networks such as `10.0.0.0/8`, each with `:port` if it is for one port only.
struct ProxyExceptions {
  private let isEverything: Bool
  private let entries: [Entry]

  private enum Entry {
    case name(Substring, port: UInt16?)
    case network(IPAddress, bits: Int, port: UInt16?)
  }

  init(_ list: String) {
    isEverything = list == "*"
    entries =
      list
      .split { $0 == "," || $0.isWhitespace }
      .compactMap { ProxyExceptions.entry($0) }
  }

  /// `true` if requests to this origin go around the proxy.
  func contain(_ origin: Origin) -> Bool {
    if isEverything { return true }
    let host = origin.unbracketedHost
    let address = IPAddress(host)
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return entries.contains { entry in
      switch entry {
      case .name(let suffix, let port):
        address == nil && (port ?? origin.port) == origin.port && (name == suffix || name.hasSuffix(".\(suffix)"))
      case .network(let network, let bits, let port):
        (port ?? origin.port) == origin.port && address.map { $0.shares(firstBits: bits, with: network) } ?? false
      }
    }
  }

  /// An entry that is neither a name nor a network matches nothing, as with curl.
  private static func entry(_ text: Substring) -> Entry? {
    let (host, port) = split(text)
    let parts = host.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if let first = parts.first, let network = IPAddress(first) {
      let most = network.bytes.count * 8
      guard let bits = parts.count > 1 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
      return .network(network, bits: bits, port: port)
    }
    var name = host.lowercased()[...]
    if name.hasSuffix(".") { name.removeLast() }
    if name.hasPrefix(".") { name.removeFirst() }
    return name.isEmpty ? nil : .name(name, port: port)
  }

  /// Takes the port off; the colons of an address without brackets are its own.
  private static func split(_ text: Substring) -> (host: Substring, port: UInt16?) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let tail = text[end...].dropFirst()
      return (text[..<end].dropFirst(), tail.hasPrefix(":") ? UInt16(tail.dropFirst()) : nil)
    }
    guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":"),
      let port = UInt16(text[colon...].dropFirst())
    else { return (text, nil) }
    return (text[..<colon], port)
  }
}
