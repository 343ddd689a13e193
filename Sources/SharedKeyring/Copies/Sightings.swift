import AcctModel
import PrivateFiles

/// When this machine first saw the locks of other machines, in the state folder.
struct Sightings: Sendable {
  let folder: PrivateFolder

  /// The sighting of an account's lock; `nil` where none can be read, and counting starts anew.
  func sighting(of id: AccountID) -> Sighting? {
    do {
      return try folder.read(id.description, limit: Sighting.sizeLimit).flatMap(Sighting.init(parsing:))
    } catch {
      return nil
    }
  }

  /// Keeps a sighting.
  ///
  /// If that fails, a later process of this machine waits longer.
  func keep(_ sighting: Sighting, of id: AccountID) {
    let contents = sighting.serialized()
    try? folder.replace(id.description, contents.span, surviving: false)
  }

  /// Forgets a lock that is no more.
  func remove(_ id: AccountID) { try? folder.remove(id.description) }

  /// Forgets all locks: an engine that was restored uses their versions again.
  func removeAll() {
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
  }
}
