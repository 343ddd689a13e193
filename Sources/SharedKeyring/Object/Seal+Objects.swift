import AcctCrypto
import AcctModel
import Secrets
package import AcctPorts
import Vault

extension Seal {
  /// Encrypts an account's object.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` for one that is too large.
  package func sealed(_ object: SharedObject, at place: String) throws(KeyringFailure) -> [UInt8] {
    let key = keys.opened.current
    var object = object
    if key.epoch > 1, object.generation > 0, let writer = writer() {
      object.writers = Writer.adding(writer, to: object.writers)
    }
    do { return try seal(object.serialized(epoch: key.epoch), key, at: place) } catch {
      throw error == .wrongLength
        ? .failed(reason: "the account is too large to be stored") : KeyringFailure(error)
    }
  }

  /// Encrypts an account's object as the next one after a generation.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` for one that is too large.
  func sealed(_ object: SharedObject, over generation: Int64, at place: String) throws(KeyringFailure) -> SealedObject {
    let next = object.written(over: generation)
    return SealedObject(generation: next.generation, bytes: try sealed(next, at: place))
  }

  /// Encrypts what another machine has written with the key in force, as its next one; this machine does not count as its
  /// writer.
  func sealedAnew(_ object: SharedObject, at place: String) throws(KeyringFailure) -> [UInt8] {
    let key = keys.opened.current
    do {
      let plaintext = object.written(over: object.generation).serialized(epoch: key.epoch)
      return try seal(plaintext, key, at: place, limit: Self.sizeLimit)
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// An object that was sealed earlier, as it goes to the engine now: anew, if the keyring's key has changed since.
  func current(_ bytes: [UInt8], _ object: SharedObject, at place: String) throws(KeyringFailure) -> SealedObject {
    guard (try? Self.epoch(of: bytes)) != keys.opened.current.epoch else {
      return SealedObject(generation: object.generation, bytes: bytes)
    }
    return SealedObject(generation: object.generation, bytes: try sealed(object, at: place))
  }

  /// Decrypts an account's object, and checks it: every way in from an engine or a copy comes here.
  ///
  /// - Throws: ``KeyringFailure/damagedAccount(_:_:)`` for one that does not open, or holds forbidden contents.
  func object(_ bytes: [UInt8], of id: AccountID, at place: String) throws(KeyringFailure) -> SharedObject {
    switch try inspected(bytes, of: id, at: place) {
    case .success(let object): return object
    case .failure(let damage): throw .damagedAccount(id, damage)
    }
  }

  /// An account's object; `nil` for one that is damaged.
  ///
  /// - Throws: ``KeyringFailure`` where nothing is known against it.
  func objectIfWhole(_ bytes: [UInt8], of id: AccountID, at place: String) throws(KeyringFailure) -> SharedObject? {
    let inspected = try inspected(bytes, of: id, at: place)
    if case .success(let object) = inspected { return object }
    return nil
  }

  /// The generation of an object, whatever its contents are; 0 if it does not open.
  ///
  /// - Throws: ``KeyringFailure`` where nothing is known against it.
  func generation(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> Int64 {
    do throws(Unopened) { return try contents(bytes, at: place).generation } catch {
      switch error {
      case .damaged: return 0
      case .libraryFailed(let error): throw KeyringFailure(error)
      case .keyring(let failure): throw failure
      }
    }
  }

  /// An account's object, or its damage.
  ///
  /// - Throws: ``KeyringFailure`` where nothing is known against it.
  func inspected(
    _ bytes: [UInt8],
    of id: AccountID,
    at place: String
  ) throws(KeyringFailure) -> Result<SharedObject, SharedDamage> {
    let (plaintext, epoch): (Secret, Int64)
    do { (plaintext, epoch) = try opened(bytes, at: place) } catch {
      switch error {
      case .damaged(let damage): return .failure(damage)
      case .libraryFailed(let error): throw KeyringFailure(error)
      case .keyring(let failure): throw failure
      }
    }
    do {
      let object = try SharedObject(parsing: plaintext, epoch: epoch)
      guard let damage = check(object, of: id) else { return .success(object) }
      return .failure(damage)
    } catch {
      return .failure(error)
    }
  }

  private func check(_ object: SharedObject, of id: AccountID) -> SharedDamage? {
    guard !object.isRemoved else { return nil }
    var items: [ItemKind: Secret] = [:]
    for (kind, secret) in object.items {
      if let kind = ItemKind(rawValue: kind) { items[kind] = secret }
    }
    return check(SharedContents(id: id, name: object.name, record: object.record, items: items))
  }

  /// Encrypts which account has a name.
  func sealed(_ holder: AccountID, at place: String) throws(KeyringFailure) -> [UInt8] {
    do { return try seal(Secret(holder.description), at: place) } catch { throw KeyringFailure(error) }
  }

  /// Decrypts which account has a name.
  func holder(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> AccountID {
    guard let id = try holderIfWhole(bytes, at: place) else { throw .damagedName(at: place) }
    return id
  }

  /// The account that has a name; `nil` if its object is damaged.
  ///
  /// - Throws: ``KeyringFailure`` where nothing is known against it.
  func holderIfWhole(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> AccountID? {
    let plaintext: Secret
    do { plaintext = try open(bytes, at: place) } catch {
      switch error {
      case .damaged: return nil
      case .libraryFailed(let error): throw KeyringFailure(error)
      case .keyring(let failure): throw failure
      }
    }
    let text = plaintext.withBytes { String(validating: $0.array, as: UTF8.self) }
    return text.flatMap { try? AccountID($0) }
  }
}

/// An account's object as it goes to an engine, and the generation that is sealed in it.
struct SealedObject {
  var generation: Int64
  var bytes: [UInt8]

  /// The copy of it, once the engine has taken it.
  func copy(_ version: Int64) -> CopyFile { CopyFile(version: version, generation: generation, bytes: bytes) }
}

extension KeyringFailure {
  fileprivate static func damagedName(at place: String) -> KeyringFailure {
    .failed(reason: "\(place) on the engine is damaged")
  }
}
