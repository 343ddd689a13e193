package import AcctCrypto
import AcctModel
package import Secrets
package import AcctPorts
import Vault

/// The encryption of an engine's objects: AES-256-GCM under the keyring's key.
///
/// The format and the object's key, with the keyring's name in it, are associated data: an object that is moved to
/// another account, or to another keyring with the same key, does not open.
package struct Seal: Sendable {
  private let key: Secret
  private let entropy: Entropy
  /// The rules for the contents of an account's object.
  let check: SharedCheck

  private static let magic = Array("acct-shared".utf8)
  private static let version: UInt8 = 1
  private static let nonceStart = magic.count + 1
  private static let sealedStart = nonceStart + AESGCM.nonceCount

  /// In bytes; etcd takes requests of 1.5 MiB.
  static let sizeLimit = 1 << 20

  package init(key: Secret, entropy: Entropy, check: @escaping SharedCheck) {
    self.key = key
    self.entropy = entropy
    self.check = check
  }

  /// Why an object does not open.
  package enum Unopened: Error {
    case damaged(SharedDamage)
    /// Nothing is known against the object.
    case libraryFailed(CryptoError)
  }

  /// Encrypts the contents of the object at `place`, with a nonce of its own.
  ///
  /// - Throws: ``CryptoError``; ``CryptoError/wrongLength`` for more than an engine takes.
  package func seal(_ contents: Secret, at place: String) throws(CryptoError) -> [UInt8] {
    guard contents.count <= Self.sizeLimit - Self.sealedStart - AESGCM.tagCount else { throw .wrongLength }
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(contents, key: key, nonce: nonce, associatedData: Self.associatedData(place))
    return Self.magic + [Self.version] + nonce + sealed
  }

  /// Decrypts the contents of the object at `place`.
  package func open(_ bytes: [UInt8], at place: String) throws(Unopened) -> Secret {
    guard bytes.count >= Self.sealedStart + AESGCM.tagCount, bytes.starts(with: Self.magic) else {
      throw .damaged(.notAnObject)
    }
    guard bytes[Self.magic.count] == Self.version else { throw .damaged(.unknownVersion) }
    do {
      return try AESGCM.open(
        Array(bytes[Self.sealedStart...]),
        key: key,
        nonce: Array(bytes[Self.nonceStart..<Self.sealedStart]),
        associatedData: Self.associatedData(place)
      )
    } catch {
      guard error == .authenticationFailed else { throw .libraryFailed(error) }
      throw .damaged(.modified)
    }
  }

  /// The digest that stands for an account's name on the engine, which cannot read it.
  func digest(of name: AccountName) -> String {
    let naming = HMACSHA256.derivedKey("acct shared keyring \(Self.version) names", from: key)
    return hex(HMACSHA256.code(name.description.utf8Span.span, key: naming))
  }

  private static func associatedData(_ place: String) -> [UInt8] { magic + [version] + Array(place.utf8) }
}
