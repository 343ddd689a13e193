package import AcctModel
import AcctPorts
package import StrictJSON

/// The clients that acct knows, so that the user need not name them again.
///
/// They are those that the user has named for a provider, and those that servers have registered. The book contains no
/// secrets.
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
    /// The scope that was registered; `nil` for the server's default.
    package var scope: String?
    /// The time at which its secret expires.
    package var secretExpiresAt: Timestamp?
  }

  /// The most clients stored: beyond that, a new one is not added, and none is dropped, since accounts still use it.
  static let most = 1000
}

extension ClientBook {
  /// Serializes the book.
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

  /// Parses the book; an unreadable entry is left out: the user is asked for the client, or it is registered, again.
  package init(_ file: JSONObject) {
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

extension ClientBook {
  /// The key under which a server's client is registered; `nil` if it can't be.
  static func place(_ issuer: Issuer?, _ endpoints: [EndpointName: HTTPURL]) -> String? {
    issuer.map { $0.url.origin.description + $0.url.path } ?? endpoints[.registration]?.origin.description
  }

  /// Drops a client that its server no longer knows, or that no account here uses; a newer one stays.
  mutating func drop(_ clientID: String, at places: [String]) {
    for place in places where registered[place]?.clientID == clientID { registered[place] = nil }
  }
}

extension Account {
  /// The identifier of the client that its server has registered for acct, and the keys that it can have in the book;
  /// `nil` for a client of the user's own.
  var registeredClient: (id: String, places: [String])? {
    guard client.isRegistered, let id = identity.clientID else { return nil }
    return (id, clientPlaces)
  }

  /// The keys that a client of its server can have in the book: the issuer as people type it, and as the server spells
  /// it.
  var clientPlaces: [String] {
    let places = [ClientBook.place(identity.issuer, client.endpoints), ClientBook.place(nil, client.endpoints)]
      .compactMap(\.self)
    return places.flatMap { $0.hasSuffix("/") ? [$0, String($0.dropLast())] : [$0, "\($0)/"] }
  }
}

extension EngineContext {
  /// Drops the client that acct registered, if this is the refusal of a server that no longer knows it: the next sign-in
  /// registers another.
  ///
  /// A book that can't be changed now is no second failure: the sign-in meets the refusal itself, and drops the client.
  func dropClient(refusedBy error: EngineError) async {
    guard case .signIn(.requestRefused(let refusal)) = error, refusal.isOfRegisteredClient,
      let client = refusal.asked.account?.registeredClient
    else { return }
    do throws(EngineError) {
      try await changeClientBook { (book) throws(EngineError) in book.drop(client.id, at: client.places) }
    } catch {}
  }

  /// Reads the known clients.
  func clientBook() throws(EngineError) -> ClientBook {
    do throws(FilesFailure) {
      return ClientBook(try world.files.members(of: .clients) ?? JSONObject())
    } catch {
      throw .files(.failed(error))
    }
  }

  /// Changes the known clients under their lock.
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
