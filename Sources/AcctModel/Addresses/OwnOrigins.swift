/// The origins to which an account's credentials may be sent, each once, with the reasons, and the places by which the
/// account is chosen there.
///
/// A new sign-in replaces them. Only what the user has allowed stays.
package struct OwnOrigins: Equatable, Sendable {
  /// Why an origin is the account's; there may be several reasons.
  package struct Reasons: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The account was signed in there, or its data is there: issuer, data server, backend.
    package static let signIn = Reasons(rawValue: 1)
    /// A resource server that the token is for.
    package static let resource = Reasons(rawValue: 2)
    /// The user's own choice: `allow` and `--allow-origin`.
    package static let user = Reasons(rawValue: 4)
  }

  fileprivate struct Entry: Equatable {
    var origin: Origin
    var reasons: Reasons
    /// The paths of its places, each once, an empty one for the whole origin; none where it is own as a whole alone.
    var paths: [String] = []

    /// The paths of its places, that of the whole origin among them.
    var allPaths: [String] { paths.isEmpty ? [""] : paths }
  }

  private var entries: [Entry]

  package init(_ origins: [Origin] = [], for reasons: Reasons = .signIn) {
    entries = []
    add(origins, for: reasons)
  }

  package init(places: [Place], for reasons: Reasons) {
    entries = []
    add(places, for: reasons)
  }

  /// Why an origin is the account's; empty for any other.
  package func reasons(for origin: Origin) -> Reasons { entries.first { $0.origin == origin }?.reasons ?? [] }

  /// Adds origins, or more reasons for those that are there.
  package mutating func add(_ origins: [Origin], for reasons: Reasons) {
    for origin in origins { add(Place(origin), for: reasons) }
  }

  /// Adds places, each with its origin.
  package mutating func add(_ places: [Place], for reasons: Reasons) {
    for place in places { add(place, for: reasons) }
  }

  private mutating func add(_ place: Place, for reasons: Reasons) {
    guard let index = entries.firstIndex(where: { $0.origin == place.origin }) else {
      entries.append(Entry(origin: place.origin, reasons: reasons, paths: place.path.isEmpty ? [] : [place.path]))
      return
    }
    entries[index].reasons.formUnion(reasons)
    let paths = entries[index].allPaths
    if !paths.contains(place.path) { entries[index].paths = paths + [place.path] }
  }

  /// Removes a place, and its origin with the last one; the place of a whole origin removes all of its others, too.
  package mutating func remove(_ place: Place) {
    guard let index = entries.firstIndex(where: { $0.origin == place.origin }),
      entries[index].paths.contains(place.path) || place.path.isEmpty
    else { return }
    entries[index].paths.removeAll { $0 == place.path }
    if place.path.isEmpty || entries[index].paths.isEmpty { entries.remove(at: index) }
  }

  /// Adds the origins that the user allowed earlier, with their places, and no other earlier ones.
  package mutating func keepUsers(of earlier: OwnOrigins) {
    for entry in earlier.entries where entry.reasons.contains(.user) { add(entry.places, for: .user) }
  }

  /// Adds all earlier origins, with their reasons.
  package mutating func keepAll(of earlier: OwnOrigins) {
    for entry in earlier.entries { add(entry.places, for: entry.reasons) }
  }

  /// The places by which the account is chosen, those of one origin together.
  package var places: [Place] { entries.flatMap(\.places) }

  /// `true` if a path of an origin decides about it.
  package var hasPaths: Bool { entries.contains { !$0.paths.isEmpty } }

  /// The longest of the places that a URL is in; `nil` where it is in none.
  package func nearestPlace(to url: HTTPURL) -> Place? {
    places.filter { $0.origin == url.origin && $0.holds(url.path) }.max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// Follows a server that has moved.
  ///
  /// Its old place stays only where the user has allowed it.
  package mutating func move(from old: Origin, to new: Origin) {
    guard old != new, let index = entries.firstIndex(where: { $0.origin == old }) else { return }
    let moved = entries[index].reasons.subtracting(.user)
    guard !moved.isEmpty else { return }
    if entries[index].reasons.contains(.user) {
      entries[index].reasons = .user
      add([new], for: moved)
    } else if entries.contains(where: { $0.origin == new }) {
      let paths = entries.remove(at: index).paths
      add(paths.isEmpty ? [Place(new)] : paths.map { Place(new, path: $0) }, for: moved)
    } else {
      entries[index].origin = new
    }
  }
}

extension OwnOrigins.Entry {
  fileprivate var places: [Place] { allPaths.map { Place(origin, path: $0) } }
}

extension OwnOrigins: RandomAccessCollection {
  package var startIndex: Int { entries.startIndex }
  package var endIndex: Int { entries.endIndex }
  package subscript(position: Int) -> Origin { entries[position].origin }
}

/// All that changes the origins of an account; `.ci/check-door` lists the callers.
extension Account {
  /// Adds what the user allows.
  package mutating func allowPlaces(_ places: [Place]) { origins.add(places, for: .user) }

  /// Removes a place; see ``OwnOrigins/remove(_:)``.
  package mutating func revokePlace(_ place: Place) { origins.remove(place) }

  /// Keeps what the user had allowed before a new sign-in.
  package mutating func keepAllowedOrigins(of earlier: Account) { origins.keepUsers(of: earlier.origins) }

  /// Keeps all earlier origins, where the new credentials are for the same person at the same server.
  ///
  /// A file of the user's names where its token may go; a sign-in adds no other place.
  package mutating func keepOrigins(of earlier: Account) {
    service = earlier.service
    if earlier.source == .user, !earlier.origins.isEmpty { origins = earlier.origins }
    origins.keepAll(of: earlier.origins)
  }

  /// Keeps the earlier origins alone: a static token's are not the server's to say.
  package mutating func takeOrigins(of earlier: Account) { origins = earlier.origins }

  /// Follows its data server, which has moved.
  package mutating func follow(to service: Origin) {
    if let old = self.service { origins.move(from: old, to: service) }
    self.service = service
  }
}
