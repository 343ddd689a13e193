package import AcctModel
package import AcctPorts
import CLibCurl
import Curl
import Text

/// A proxy as the environment names it: `[scheme://][user:password@]host[:port]`.
package struct Proxy: Hashable, Sendable {
  /// The protocol to it.
  package enum Kind: Sendable { case http, socks5 }

  /// For the proxy alone (RFC 7617).
  package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String
  }

  package let kind: Kind
  /// Without brackets.
  package let host: String
  package let port: UInt16
  package let credentials: Credentials?

  /// Parses a proxy's URL as curl does, by libcurl's own parser, and rejects kinds that are not supported.
  ///
  /// That is TLS to the proxy, SOCKS 4, and SOCKS with a password. With `socks5` as with
  /// `socks5h` the proxy resolves the names.
  init(_ text: String, _ library: CurlTable) throws(Unusable) {
    let malformed = Unusable(reason: "it is not a URL such as http://host:port")
    // libcurl would guess a missing scheme by the host's first label.
    let full = text.contains("://") ? text : "http://\(text)"
    guard let url = CurlURL(full, library) else { throw malformed }
    let (scheme, host, port): (String, String, UInt16)
    do {
      scheme = try url.part(CURLUPART_SCHEME)?.lowercased() ?? ""
      host = try url.part(CURLUPART_HOST) ?? ""
      // curl's default for every scheme.
      port = try url.part(CURLUPART_PORT).map { UInt16($0) ?? 0 } ?? 1080
    } catch { throw malformed }
    kind = try Kind(scheme: scheme)
    guard port > 0, !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw malformed }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    credentials = try Credentials(of: url)
    guard kind == .http || credentials == nil else {
      throw Unusable(reason: "SOCKS with a user name and a password is not supported")
    }
  }

  /// Why a proxy can't be used; quotes nothing of it, since it may hold a password.
  struct Unusable: Error { let reason: String }
}

extension Proxy: CustomStringConvertible {
  /// Without the credentials.
  package var description: String { "the proxy \(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension Proxy.Kind {
  fileprivate init(scheme: String) throws(Proxy.Unusable) {
    switch scheme {
    case "http": self = .http
    case "socks5", "socks5h": self = .socks5
    case "https": throw Proxy.Unusable(reason: "proxies over TLS (https://) are not supported")
    case "socks", "socks4", "socks4a": throw Proxy.Unusable(reason: "only version 5 of SOCKS is supported (socks5h://)")
    default: throw Proxy.Unusable(reason: "its scheme is not http or socks5h")
    }
  }
}

extension Proxy.Credentials {
  /// `nil` if the URL has none.
  fileprivate init?(of url: CurlURL) throws(Proxy.Unusable) {
    let malformed = Proxy.Unusable(reason: "its user name or password is not percent-encoded well")
    do {
      guard let user = try url.part(CURLUPART_USER, decoded: true) else { return nil }
      self.user = user
      password = try url.part(CURLUPART_PASSWORD, decoded: true) ?? ""
      // libcurl takes a `%` that begins no escape literally.
      let written = try [url.part(CURLUPART_USER) ?? "", url.part(CURLUPART_PASSWORD) ?? ""]
      guard written.allSatisfy({ percentDecoded($0.utf8) != nil }), !user.contains(":") else { throw malformed }
    } catch { throw malformed }
  }
}

/// The proxy, if any, that the environment names for a server over TLS; the rules are curl's.
///
/// Lower-case names come before upper-case ones, `HTTPS_PROXY` before `ALL_PROXY`.
package struct ProxySettings {
  private let proxy: (variable: String, url: String)?
  private let exceptions: ProxyExceptions

  /// - Parameter environment: Looks a variable up; an empty one counts as not set.
  package init(environment: (_ name: String) -> String?) {
    func first(_ names: String...) -> (variable: String, value: String)? {
      for name in names {
        if let value = environment(name), !value.isEmpty { return (name, value) }
      }
      return nil
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY").map { ($0.variable, $0.value) }
    exceptions = ProxyExceptions(first("no_proxy", "NO_PROXY")?.value ?? "")
  }

  /// Returns the proxy for an origin, or `nil` if the way there is direct.
  ///
  /// Loopback is always direct: this machine's loopback is not the proxy's.
  ///
  /// - Throws: ``HTTPFailure/proxy(reason:)`` if there is one and it can't be used.
  package func proxy(for origin: Origin) throws(HTTPFailure) -> Proxy? {
    guard let proxy, !origin.isLoopback, !exceptions.contain(origin) else { return nil }
    let library = try CurlTable.loadedForRequests()
    do { return try Proxy(proxy.url, library) } catch {
      throw .proxy(reason: "\(proxy.variable) can't be used: \(error.reason)")
    }
  }
}

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

/// A URL as libcurl parses it.
@safe final class CurlURL {
  private let table: UnsafePointer<acct_curl>
  private let handle: OpaquePointer

  /// A part that cannot be decoded, or is not text.
  struct Malformed: Error {}

  /// Parses a URL with any scheme; `nil` for a text that is none.
  init?(_ text: String, _ library: CurlTable) {
    guard let handle = unsafe library.functions.pointee.url() else { return nil }
    unsafe self.handle = handle
    unsafe table = library.functions
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    guard unsafe table.pointee.url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
  }

  deinit { unsafe table.pointee.url_cleanup(handle) }

  /// Returns a part, percent-decoded if that is wanted; `nil` if the URL does not have it.
  func part(_ part: CURLUPart, decoded: Bool = false) throws(Malformed) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = decoded ? UInt32(CURLU_URLDECODE) : 0
    let code = unsafe table.pointee.url_get(handle, part, &text, flags)
    if [CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_PORT].contains(code) { return nil }
    guard code == CURLUE_OK, let text = unsafe text else { throw Malformed() }
    defer { unsafe table.pointee.free(text) }
    guard let part = unsafe String(validatingCString: text) else { throw Malformed() }
    return part
  }
}
