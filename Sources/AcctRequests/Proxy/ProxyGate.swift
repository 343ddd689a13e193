import AcctCrypto
package import AcctModel
import AcctProtocol
package import Secrets

/// Decides which requests to the signing proxy go on, and where to.
///
/// It rejects every request that a browser page can send (security of local servers, DNS rebinding): a page can name
/// neither the secret of a port nor, with its requests from scripts, leave `Origin` out; and under a name that it has
/// rebound to this machine, `Host` is that name.
///
/// A client that can't set `Host` names the address that it connects to. That is taken on a port alone,
/// with the secret, as `127.0.0.1` or `localhost` with the very port; a rebound name is neither. No
/// request of a browser is taken there, also none that the user typed: the server's page would run
/// with the proxy's address as its origin.
package struct ProxyGate: Sendable {
  /// Each with the values of `Host` that name it.
  private let origins: [(origin: Origin, hosts: [String])]
  private let secret: Secret?
  private let direct: Origin?

  /// - Parameters:
  ///   - origins: Those that are served; requests go nowhere else. The first that a `Host` names counts.
  ///   - secret: The secret that the path must begin with on a port; `nil` on a socket.
  ///   - direct: The origin of requests to the proxy's own address; `nil` refuses them.
  package init(origins: [Origin], secret: Secret?, direct: Origin? = nil) {
    self.origins = origins.map { ($0, $0.hostFields) }
    self.secret = secret
    self.direct = direct
  }

  /// The URL that a request is for.
  ///
  /// - Parameters:
  ///   - method: Its method.
  ///   - target: Its target as it stood on the request line: a path, or an absolute URL.
  ///   - fields: Its fields.
  ///   - port: The port that it came to; `nil` on a socket.
  /// - Returns: A URL of one of the origins.
  /// - Throws: ``ProxyRefusal``.
  package func url(
    method: String,
    target: String,
    fields: [(name: String, value: String)],
    port: Int? = nil
  ) throws(ProxyRefusal) -> HTTPURL {
    // Its target is a host alone, where no secret can stand.
    guard method != "CONNECT" else { throw secret == nil ? .tunnel : .secretMissing }
    // A client without the secret learns nothing else, such as which hosts are valid.
    let (host, path) = try placed(target, fields)
    let open = try pathBehindSecret(path)
    // An image or a link of a page has no `Origin`; browsers send the initiator of every request
    // (Fetch Metadata, section 2.2), and "none" is the user. Clients that are not browsers, Node's
    // among them, send no such field.
    let sites = fields.values(of: "sec-fetch-site")
    guard fields.values(of: "origin").isEmpty, sites.allSatisfy({ $0 == "none" }) else { throw .fromPage }
    guard fields.values(of: "upgrade").isEmpty else { throw .upgrade }
    let origin: Origin
    if let named = origins.first(where: { $0.hosts.contains(host) }) {
      origin = named.origin
    } else if let direct, isOwn(host, port) {
      guard sites.isEmpty else { throw .fromPage }
      origin = direct
    } else {
      throw .foreignHost
    }
    do { return try HTTPURL(origin, target: open) } catch { throw .malformed }
  }

  /// `true` for a `Host` in lower case that is the port's own address, and no other spelling of it.
  private func isOwn(_ host: String, _ port: Int?) -> Bool {
    guard secret != nil, let port else { return false }
    return ["127.0.0.1", "localhost"].contains { host == (port == 80 ? $0 : "\($0):\(port)") }
  }

  /// The fields of a request that was let in, without a `Referer` that tells of the proxy itself.
  ///
  /// The path of its address is the secret of the run. A client that follows a link of an answer sends it along.
  ///
  /// - Parameters:
  ///   - fields: As the client sent them.
  ///   - port: The port that the request came to; `nil` on a socket.
  /// - Returns: The remaining fields; any other `Referer` is the client's to send.
  package func withoutOwnReferer(
    _ fields: [(name: String, value: String)],
    port: Int?
  ) -> [(name: String, value: String)] {
    guard secret != nil, fields.contains(where: { $0.name.isSameField(as: "referer") }) else { return fields }
    return fields.filter { !$0.name.isSameField(as: "referer") || !isOwnReferer($0.value, port) }
  }

  /// `true` for an address on this machine with the very port, and for any text with the secret.
  private func isOwnReferer(_ referer: String, _ port: Int?) -> Bool {
    if let secret, Redactor([secret]).findsWhole(in: referer) { return true }
    guard let port, let mark = referer.firstRange(of: "://") else { return false }
    let authority = referer[mark.upperBound...].prefix { !"/?#\\".contains($0) }.lowercased()
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return ["127.0.0.1", "localhost", "[::1]"].contains { name in
      host == "\(name):\(port)" || port == 80 && host == name
    }
  }

  private func placed(
    _ target: String,
    _ fields: [(name: String, value: String)]
  ) throws(ProxyRefusal) -> (host: String, path: Substring) {
    let hosts = fields.values(of: "host")
    guard hosts.count == 1, let host = hosts.first?.lowercased() else { throw .malformed }
    if target.hasPrefix("/") { return (host, target[...]) }
    // The absolute form (RFC 9112, section 3.2.2): its host counts, and must be the field's.
    guard let mark = target.firstRange(of: "://") else { throw .malformed }
    let rest = target[mark.upperBound...]
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    guard rest[..<end].lowercased() == host else { throw .foreignHost }
    return (host, end == rest.endIndex ? "/" : rest[end...])
  }

  /// Compared in constant time: the port is open to every user of the machine.
  private func pathBehindSecret(_ path: Substring) throws(ProxyRefusal) -> Substring {
    guard let secret else { return path }
    let bytes = Array(path.utf8)
    let count = secret.count + 1
    let isRight = secret.withBytes { span in
      let given = bytes.dropFirst().prefix(span.count)
      return ConstantTime.equal(Array(given).span, span)
    }
    guard isRight, bytes.count > count, bytes[count] == UInt8(ascii: "/") else { throw .secretMissing }
    return path[path.utf8.index(path.startIndex, offsetBy: count)...]
  }
}

/// Why a request to the proxy is rejected.
package enum ProxyRefusal: Error, Equatable, Sendable, CaseIterable {
  /// The path does not begin with the secret of this run.
  case secretMissing
  /// It has an `Origin`, or names a page as its initiator: a browser page made it.
  case fromPage
  /// `Host` names no origin that is served.
  case foreignHost
  /// Not a request that can be passed on.
  case malformed
  /// `CONNECT`: inside a tunnel nothing could be signed.
  case tunnel
  /// Another protocol, such as WebSocket, which is not passed on.
  case upgrade

  /// The status to answer with.
  package var status: Int {
    switch self {
    case .secretMissing, .fromPage: 403
    case .foreignHost: 421
    case .malformed: 400
    case .tunnel, .upgrade: 501
    }
  }
}

extension Origin {
  /// The values of `Host`, in lower case, that name this origin: without its default port, and with it.
  ///
  /// Origins of two schemes can have one in common, such as `http://localhost` and `https://localhost`.
  package var hostFields: [String] { [authority, "\(host):\(port)"] }
}
