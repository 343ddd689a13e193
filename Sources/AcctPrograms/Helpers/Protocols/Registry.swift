import AcctProtocol
package import AcctModel

/// A registry of containers by any of the names that docker, podman and skopeo have for it.
package struct Registry: Equatable, Sendable {
  /// The server; one on this machine can be at http, too.
  package let origins: [Origin]
  /// The part of it that podman and skopeo keep a login for, such as `/team-a`.
  package let path: String?

  /// The hosts by which programs call Docker Hub.
  private static let hub = [
    "index.docker.io", "docker.io", "registry-1.docker.io", "registry.hub.docker.com",
  ]

  /// The address by which docker's settings call it.
  package static let hubAddress = "https://index.docker.io/v1/"

  /// Returns `true` for an origin of Docker Hub's.
  package static func isHub(_ origin: Origin?) -> Bool {
    origin.map { $0.scheme == .https && hub.contains($0.authority) } ?? false
  }

  /// The origins of Docker Hub, of which the first is its own name.
  fileprivate static let hubOrigins = hub.compactMap { try? Origin(.https, authority: $0) }

  /// Parses a name as it is a key in docker's `config.json`.
  ///
  /// Of a URL, these programs compare the host alone; the path behind a bare host is podman's.
  ///
  /// - Throws: ``ParseError/url``, ``ParseError/refusedURL(_:)``.
  package init(_ name: String) throws(ParseError) {
    let target = try HelperTarget(naming: name)
    // Docker keeps other parts of a sign-in at Docker Hub beside it, as `https://index.docker.io/v1/refresh-token`.
    let isPart = !name.contains("://")
    guard isPart || !Self.isHub(target.urls.first?.origin) || target.urls.allSatisfy(\.isRegistry) else { throw .url }
    let urls = target.underOwnName.urls
    origins = urls.map(\.origin)
    path = urls.first.flatMap { isPart && !$0.isRegistry ? $0.path.trimmedPath : nil }
  }
}

extension HelperTarget {
  /// Docker Hub under its own name; any other target as it is.
  var underOwnName: HelperTarget { underHubNames(1) }

  /// Docker Hub under each of its names, its own first; any other target as it is.
  var underAllNames: HelperTarget { underHubNames(Registry.hubOrigins.count) }

  private func underHubNames(_ count: Int) -> HelperTarget {
    guard let url = urls.first, Registry.isHub(url.origin) else { return self }
    var target = self
    target.urls = Registry.hubOrigins.prefix(count).map { HTTPURL($0, path: url.path) }
    return target
  }
}
