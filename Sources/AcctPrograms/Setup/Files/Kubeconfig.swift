package import AcctModel
package import Secrets
import StrictJSON

/// A kubeconfig as `kubectl config view --output json` shows it: without its secrets.
package struct Kubeconfig: Sendable {
  package struct Context: Equatable, Sendable {
    package var name: String
    package var cluster: String?
    package var user: String?
  }

  package private(set) var contexts: [Context] = []
  /// The context that kubectl uses; `nil` if none is chosen.
  package private(set) var current: String?
  /// The servers' addresses, by cluster.
  private var servers: [String: String] = [:]
  /// The programs that give the users their credentials, by user; `nil` for a user that has another credential.
  private var programs: [String: String?] = [:]

  /// - Throws: ``SettingsFlaw/notJSON``.
  package init(_ view: Secret) throws(SettingsFlaw) {
    let json = try? view.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    guard let object = json?.objectValue else { throw .notJSON }
    current = object["current-context"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    for (name, context) in Self.entries(object, "contexts", "context") {
      let user = context["user"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      contexts.append(Context(name: name, cluster: context["cluster"]?.stringValue, user: user))
    }
    for (name, cluster) in Self.entries(object, "clusters", "cluster") {
      servers[name] = cluster["server"]?.stringValue
    }
    for (name, user) in Self.entries(object, "users", "user") {
      programs[name] = .some(user["exec"]?.objectValue?["command"]?.stringValue)
    }
  }

  private static func entries(
    _ object: JSONObject,
    _ list: String,
    _ member: String
  ) -> [(name: String, members: JSONObject)] {
    (object[list]?.arrayValue ?? []).compactMap { entry in
      guard let entry = entry.objectValue, let name = entry["name"]?.stringValue else { return nil }
      return (name, entry[member]?.objectValue ?? [:])
    }
  }

  /// The contexts of the clusters at an origin; one without a port of its own means every port of the host.
  package func contexts(at origin: Origin) -> [Context] {
    contexts.filter { context in
      guard let server = context.cluster.flatMap({ servers[$0] }), let url = try? HTTPURL(server) else { return false }
      return url.origin == origin || url.origin.host == origin.host && origin.port == origin.scheme.defaultPort
    }
  }

  package func hasUser(_ name: String) -> Bool { programs[name] != nil }

  /// `true` if a user's credentials come from acct.
  package func isAcct(_ user: String?) -> Bool {
    user.flatMap { programs[$0] ?? nil }?.split(separator: "/").last == "acct"
  }
}
