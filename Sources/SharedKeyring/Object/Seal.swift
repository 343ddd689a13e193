package import AcctCrypto
import AcctModel
package import Secrets
package import AcctPorts
import Vault
import Text

/// Seals and opens the objects of a keyring: AES-256-GCM with the key's epoch and the object's place as associated
/// data.
///
/// An object in another's place, or in another keyring, does not open.
package struct Seal: Sendable {
  let keys: EpochKeys
  let entropy: Entropy
  /// The rules for the contents of an account's object.
  let check: SharedCheck
  /// This machine, for the objects that it seals; `nil` for one that is not listed.
  let writer: @Sendable () -> Writer?
  /// `true` to open what this machine itself has written to its disk, with the key of an earlier epoch as well.
  private var isLocal = false

  private static let magic = Array("acct-shared".utf8)
  /// Of an object of the first epoch, and of one that names its epoch.
  private static let (bareFormat, format): (UInt8, UInt8) = (1, 2)
  private static let epochCount = 8
  private static let nonceStart = magic.count + 1

  /// In bytes; etcd takes requests of 1.5 MiB.
  static let sizeLimit = 1 << 20
  /// What a write leaves of it, so that the same contents can be sealed with a later key: its number, and a generation.
  private static let reserve = 64

  init(
    _ keys: EpochKeys,
    _ entropy: Entropy,
    check: @escaping SharedCheck,
    writer: @escaping @Sendable () -> Writer? = { nil }
  ) {
    self.keys = keys
    self.entropy = entropy
    self.check = check
    self.writer = writer
  }

  /// Seals with the only key of a keyring of the former form.
  package init(key: Secret, entropy: Entropy, check: @escaping SharedCheck) {
    self.init(EpochKeys(key), entropy, check: check)
  }

  /// Why an object does not open.
  package enum Unopened: Error {
    case damaged(SharedDamage)
    /// Nothing is known against the object.
    case libraryFailed(CryptoError)
    /// The header could not be asked for, which a later epoch's object takes.
    case keyring(KeyringFailure)
  }

  /// The seal for this machine's copies and pending answers, which may be of an earlier epoch.
  var local: Seal {
    var seal = self
    seal.isLocal = true
    return seal
  }

  /// Encrypts the contents of the object at `place`, with a nonce of its own.
  ///
  /// - Throws: ``CryptoError``; ``CryptoError/wrongLength`` for more than an engine takes.
  package func seal(_ contents: Secret, at place: String) throws(CryptoError) -> [UInt8] {
    try seal(contents, keys.opened.current, at: place)
  }

  func seal(
    _ contents: Secret,
    _ key: EpochKey,
    at place: String,
    limit: Int = sizeLimit - reserve
  ) throws(CryptoError) -> [UInt8] {
    let head = Self.head(key.epoch)
    guard contents.count <= limit - head.count - AESGCM.nonceCount - AESGCM.tagCount else {
      throw .wrongLength
    }
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(contents, key: key.key, nonce: nonce, associatedData: head + Array(place.utf8))
    return head + nonce + sealed
  }

  /// Decrypts the contents of the object at `place`.
  package func open(_ bytes: [UInt8], at place: String) throws(Unopened) -> Secret {
    try opened(bytes, at: place).contents
  }

  /// The same, and the epoch whose key opened it.
  func opened(_ bytes: [UInt8], at place: String) throws(Unopened) -> (contents: Secret, epoch: Int64) {
    let epoch = try Self.epoch(of: bytes)
    let key: Secret?
    do { key = try keys.key(of: epoch, isLocal: isLocal) } catch { throw .keyring(error) }
    guard let key else { throw .damaged(epoch > keys.opened.current.epoch ? .unknownVersion : .formerKey) }
    let head = Self.head(epoch)
    let start = head.count + AESGCM.nonceCount
    do {
      let contents = try AESGCM.open(
        Array(bytes[start...]),
        key: key,
        nonce: Array(bytes[head.count..<start]),
        associatedData: head + Array(place.utf8)
      )
      return (contents, epoch)
    } catch {
      guard error == .authenticationFailed else { throw .libraryFailed(error) }
      throw .damaged(.modified)
    }
  }

  /// `true` for an object of a former key that counts no more; the header is asked for, if it has to be.
  func isOutdated(_ bytes: [UInt8]) throws(KeyringFailure) -> Bool {
    guard let epoch = try? Self.epoch(of: bytes), try keys.key(of: epoch, isLocal: isLocal) == nil else { return false }
    return epoch < keys.opened.current.epoch
  }

  /// The epoch that an object names.
  static func epoch(of bytes: [UInt8]) throws(Unopened) -> Int64 {
    guard bytes.count > nonceStart + AESGCM.nonceCount + AESGCM.tagCount - 1, bytes.starts(with: magic) else {
      throw .damaged(.notAnObject)
    }
    switch bytes[magic.count] {
    case bareFormat: return 1
    case format:
      guard bytes.count >= nonceStart + epochCount + AESGCM.nonceCount + AESGCM.tagCount else {
        throw .damaged(.notAnObject)
      }
      let number = bytes.span.extracting(nonceStart..<(nonceStart + epochCount)).bigEndian64
      guard let epoch = Int64(exactly: number), (KeyringHeader.firstEpoch...KeyringHeader.lastEpoch).contains(epoch)
      else { throw .damaged(.notAnObject) }
      return epoch
    default: throw .damaged(.unknownVersion)
    }
  }

  /// The digest that stands for an account's name on the engine, which cannot read it.
  func digest(of name: AccountName) throws(KeyringFailure) -> String {
    hex(HMACSHA256.code(name.description.utf8Span.span, key: try names()))
  }

  private func names() throws(KeyringFailure) -> Secret {
    let opened = keys.opened
    return opened.header == nil ? Self.names(of: opened.current.key) : try opened.roster().names
  }

  /// The names' key of a keyring of one key.
  static func names(of key: Secret) -> Secret {
    HMACSHA256.derivedKey("acct shared keyring \(bareFormat) names", from: key)
  }

  private static func head(_ epoch: Int64) -> [UInt8] {
    guard epoch > 1 else { return magic + [bareFormat] }
    var head = magic + [format]
    head.append(bigEndian: epoch)
    return head
  }
}
