package import AcctCrypto
import AcctModel
package import AcctPorts
package import FleetPorts
package import Secrets
import Text
import Vault

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
  /// The bytes that a write leaves free: sealed with a later key, the same contents also need its number and a
  /// generation.
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

extension Seal {
  /// The seal that a key file opens a header to, without asking an engine; `nil` if it does not open.
  ///
  /// - Parameters:
  ///   - header: The header as it lies on the engine, of either form.
  ///   - keyFile: The contents of the key file.
  ///   - entropy: For nonces.
  ///   - check: The rules for the contents of objects.
  package init?(header: [UInt8], keyFile: Secret, entropy: Entropy, check: @escaping SharedCheck) {
    switch try? SharedHeader(parsing: header) {
    case .former(.keyFile(let header)) where header.isOf(keyFile):
      self.init(key: keyFile, entropy: entropy, check: check)
    case .epochs:
      guard let key = try? KeyringHeader.key(ofFile: keyFile) else { return nil }
      self.init(header: header, machine: key, entropy: entropy, check: check)
    case .former, nil: return nil
    }
  }

  /// The seal that a machine's private key opens a header to.
  package init?(header: [UInt8], machine: P256PrivateKey, entropy: Entropy, check: @escaping SharedCheck) {
    guard let header = try? KeyringHeader(parsing: header), let key = header.key(openedBy: machine) else { return nil }
    self.init(EpochKeys(EpochKeys.Opened(current: key, header: header)), entropy, check: check)
  }

  /// The contents of an object, which are not checked.
  package func contents(_ bytes: [UInt8], at place: String) throws(Unopened) -> SharedObject {
    let (plaintext, epoch) = try opened(bytes, at: place)
    do { return try SharedObject(parsing: plaintext, epoch: epoch) } catch { throw .damaged(error) }
  }
}

extension KeyringHeader {
  /// The epoch's key, as a recipient's private key opens it; `nil` if it does not.
  package func key(openedBy recipient: P256PrivateKey) -> EpochKey? { try? key(by: RecipientKey(recipient)) }
}

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
