import AcctModel
import AcctPorts

/// A member of a cluster, by the address at which it serves clients.
struct Member: Sendable {
  let origin: Origin

  /// Parses `https://HOST:PORT`.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)``.
  init(_ endpoint: String) throws(SharedStoreFailure) {
    // Plain http would show the password and every key, and what is stored could be changed on the way.
    guard let origin = try? Origin(endpoint), origin.scheme == .https else {
      throw .failed(reason: "\(printable(endpoint)) is not the https address of a member")
    }
    self.origin = origin
  }

  /// How it is called in messages, always with its port.
  var place: String { "\(origin.host):\(origin.port)" }
}
