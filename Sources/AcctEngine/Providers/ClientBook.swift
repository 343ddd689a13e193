package import AcctModel
import AcctPorts
import StrictJSON

/// The clients that are known without being named again.
///
/// They are those that the user has named for a provider, and those that servers have registered. There are no
/// secrets in it.
package struct ClientBook: Equatable, Sendable {
  /// By the provider and its place, see ``ResolvedProvider/place``.
  package var named: [String: String] = [:]
  /// By the issuer, or the origin of the registration endpoint where there is none.
  package var registered: [String: Registered] = [:]

  package init() {}

  /// A client that a server has registered.
  package struct Registered: Equatable, Sendable {
    package var clientID: String
    package var authentication: ClientAuthentication
    /// The loopback address that was registered, with its port, where a sign-in in a browser can end.
    package var redirect: LoopbackRedirect?
    /// The scope that was registered; `nil` for whatever the server gives its clients.
    package var scope: String?
    /// When its secret ends.
    package var secretExpiresAt: Timestamp?
  }

  /// Beyond so many, a client is not added: none is dropped, since accounts go on using it.
  static let most = 1000
}

extension ClientBook {
  /// Writes the file.
  package func encode() -> [UInt8] {
    var clients = JSONObject()
    for (name, id) in named.sorted(by: { $0.key < $1.key }) { clients[name] = .string(id) }
    var registrations = JSONObject()
    for (server, client) in registered.sorted(by: { $0.key < $1.key }) {
      registrations[server] = [
        "clientID": .string(client.clientID),
        "authentication": .string(client.authentication.rawValue),
        "redirect": .init(client.redirect?.registered),
        "scope": .init(client.scope),
        "secretExpiresAt": .init(client.secretExpiresAt?.description),
      ]
    }
    let json: JSON = ["version": 1, "named": .object(clients), "registered": .object(registrations)]
    return json.serialized()
  }

  /// Reads the file; what can't be read is left out: the user is asked for it, or it is registered, again.
  package init(decoding bytes: [UInt8]) {
    guard let file = (try? JSON(parsing: bytes))?.objectValue, file["version"]?.numberValue?.integer == 1
    else { return }
    for (name, value) in file["named"]?.objectValue ?? [:] {
      named[name] = value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
    for (server, value) in file["registered"]?.objectValue ?? [:] {
      registered[server] = value.objectValue.flatMap(Self.client)
    }
  }

  private static func client(_ object: JSONObject) -> Registered? {
    guard let id = object["clientID"]?.stringValue, !id.isEmpty,
      let authentication = object["authentication"]?.stringValue.flatMap(ClientAuthentication.init)
    else { return nil }
    let redirect = object["redirect"]?.stringValue.flatMap { try? LoopbackRedirect($0) }
    return Registered(
      clientID: id,
      authentication: authentication,
      redirect: redirect.flatMap { $0.port == nil ? nil : $0 },
      scope: object["scope"]?.stringValue,
      secretExpiresAt: object["secretExpiresAt"]?.stringValue.flatMap { try? Timestamp($0) }
    )
  }
}

extension EngineContext {
  /// The clients that are known.
  func clientBook() throws(EngineError) -> ClientBook {
    do throws(FilesFailure) {
      return ClientBook(decoding: try world.files.read(.clients) ?? [])
    } catch {
      throw .files(.failed(error))
    }
  }

  /// Changes the known clients while no other process does.
  func changeClientBook<Result>(
    _ body: (inout ClientBook) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await world.files.withLock(.clients, waiting: 120, failure: { .files(.failed($0)) }) {
      () async throws(EngineError) -> Result in
      let before = try clientBook()
      var book = before
      let result = try await body(&book)
      if book != before {
        do throws(FilesFailure) { try world.files.replace(.clients, book.encode()) } catch {
          throw .files(.failed(error))
        }
      }
      return result
    }
  }
}
