import AcctModel
import AcctPorts
import FleetPorts

/// The bounds of an engine's answers: numbers and keys are its operator's to choose, too.
extension SharedStore {
  /// The highest version and revision: as far from overflow as an engine never comes.
  static let lastVersion: Int64 = 1 << 62
  private static let identifierLimit = 256

  /// This store, which rejects answers that are out of bounds.
  ///
  /// An object that is too large is empty, and so a damaged one: it hides none of the others. A write that is denied at an
  /// account is that of a reader if a read of it is not denied, as it is after a change of the password.
  ///
  /// - Parameter places: The keys of the keyring's objects.
  /// - Returns: The store.
  func bounded(_ places: Places) -> SharedStore {
    let accounts = places.accounts
    var store = self
    store.get = { key throws(SharedStoreFailure) in
      var reading = try self.get(key)
      try Self.check(reading.standing)
      if let object = reading.object {
        guard object.key == key else { throw .outOfBounds }
        reading.object = try Self.checked(object, asOf: reading.standing)
      }
      return reading
    }
    store.swap = { key, bytes, version throws(SharedStoreFailure) in
      let stored: Int64?
      do throws(SharedStoreFailure) { stored = try self.swap(key, bytes, version) } catch {
        guard case .denied(let reason) = error, key.hasPrefix(accounts), (try? self.get(key)) != nil
        else { throw error }
        throw .readOnly(reason: reason)
      }
      guard let stored else { return nil }
      guard (1...Self.lastVersion).contains(stored) else { throw .outOfBounds }
      return stored
    }
    store.changes = { prefix, version throws(SharedStoreFailure) in
      var changes = try self.changes(prefix, version)
      try Self.check(changes.standing)
      guard
        changes.keys.allSatisfy({ $0.hasPrefix(prefix) }),
        changes.objects.allSatisfy({ changes.keys.contains($0.key) }),
        Set(changes.objects.map(\.key)).count == changes.objects.count
      else { throw .outOfBounds }
      for index in changes.objects.indices {
        changes.objects[index] = try Self.checked(changes.objects[index], asOf: changes.standing)
      }
      return changes
    }
    return store
  }

  private static func check(_ standing: Standing) throws(SharedStoreFailure) {
    guard (0...lastVersion).contains(standing.revision), standing.identifier.utf8.count <= identifierLimit
    else { throw .outOfBounds }
  }

  /// No object is later than the store's latest change: a version of the future would hide all changes before it.
  private static func checked(_ object: Object, asOf standing: Standing) throws(SharedStoreFailure) -> Object {
    guard (1...lastVersion).contains(object.version), object.version <= standing.revision else { throw .outOfBounds }
    guard object.bytes.count > Seal.sizeLimit else { return object }
    return Object(key: object.key, bytes: [], version: object.version)
  }
}

extension SharedStoreFailure {
  fileprivate static let outOfBounds = SharedStoreFailure.failed(
    reason:
      "an answer is out of bounds: a version is not between 1 and the revision, or a key is another one's"
  )
}
