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
