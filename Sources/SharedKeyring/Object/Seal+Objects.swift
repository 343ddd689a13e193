import AcctCrypto
import AcctModel
import AcctPorts
import VaultKey

extension Seal {
  /// Encrypts an account's object.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` for one that is too large.
  func sealed(_ object: SharedObject, at place: String) throws(KeyringFailure) -> [UInt8] {
    do { return try seal(object.serialized(), at: place) } catch {
      throw error == .wrongLength
        ? .failed(reason: "the account is too large to be stored") : KeyringFailure(error)
    }
  }

  /// Decrypts an account's object.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` for one that does not open.
  func object(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> SharedObject {
    let plaintext = try plaintext(bytes, at: place)
    do { return try SharedObject(parsing: plaintext) } catch {
      throw KeyringFailure(error, at: place)
    }
  }

  /// The same; `nil` for one that does not open.
  ///
  /// - Throws: ``KeyringFailure`` where nothing is known against it.
  func objectIfWhole(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> SharedObject? {
    let plaintext: Secret
    do { plaintext = try open(bytes, at: place) } catch {
      switch error {
      case .damaged: return nil
      case .libraryFailed(let error): throw KeyringFailure(error)
      }
    }
    do { return try SharedObject(parsing: plaintext) } catch { return nil }
  }

  /// Encrypts which account has a name.
  func sealed(_ holder: AccountID, at place: String) throws(KeyringFailure) -> [UInt8] {
    do { return try seal(Secret(holder.description), at: place) } catch {
      throw KeyringFailure(error)
    }
  }

  /// Decrypts which account has a name.
  func holder(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> AccountID {
    let plaintext = try plaintext(bytes, at: place)
    let text = plaintext.withBytes { String(validating: $0.array, as: UTF8.self) }
    guard let text, let id = try? AccountID(text) else {
      throw KeyringFailure(Damage(reason: "it is not of the form that acct writes"), at: place)
    }
    return id
  }

  private func plaintext(_ bytes: [UInt8], at place: String) throws(KeyringFailure) -> Secret {
    do { return try open(bytes, at: place) } catch {
      switch error {
      case .damaged(let damage): throw KeyringFailure(damage, at: place)
      case .libraryFailed(let error): throw KeyringFailure(error)
      }
    }
  }
}

extension KeyringFailure {
  fileprivate init(_ damage: Damage, at place: String) {
    self = .failed(reason: "\(place) on the engine is damaged: \(damage.reason)")
  }
}
