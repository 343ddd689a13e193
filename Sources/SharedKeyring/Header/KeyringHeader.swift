package import AcctCrypto
import AcctModel
package import AcctPorts
package import Secrets
import StrictJSON
import Text
import Vault

/// The header of a keyring whose key changes: the epoch's key, wrapped for each recipient.
///
/// Who the recipients are is in the roster, which the key opens; a line alone says the kind and an identifier.
package struct KeyringHeader: Equatable, Sendable {
  /// Random, made with the keyring; it stays.
  package var keyring: [UInt8]
  /// The number of the key, at least ``firstEpoch``.
  package var epoch: Int64
  package var recipients: [Recipient]
  /// For each machine that was removed, who did so and when, which that machine alone can read.
  var removals: [Line]
  /// The key of each epoch before, under the one after it, the latest first: who has an earlier key sees that the one
  /// who made this header had it as well, and what this machine wrote to its disk at that time still opens.
  var chain: [[UInt8]]
  /// `true` until no object of the epoch before is left.
  package var isChanging: Bool
  var roster: SealedBytes
  /// HMAC of all of the above under the epoch's key.
  var mac: [UInt8]

  /// The first epoch of this form: the only key of a keyring of the former one counts as the first.
  package static let firstEpoch: Int64 = 2
  static let lastEpoch: Int64 = 1 << 32
  static let idCount = 16
  /// In bytes; that of any object.
  package static let sizeLimit = Seal.sizeLimit
  /// The most recipients, and the most machines whose removal is noted.
  static let recipientLimit = 512
  static let removalLimit = 64
  /// The most passphrases: each costs a run of scrypt before it is known if the given one is right.
  static let passphraseLimit = 4
  /// The most changes of the key that a machine can sleep through.
  static let chainLimit = 128
  static let linkCount = AESGCM.keyCount + AESGCM.tagCount

  /// A message of HPKE for the key with an identifier.
  package struct Line: Equatable, Sendable {
    /// ``KeyringHeader/id(of:)`` of the public key.
    package var id: String
    package var message: HPKE.Message
  }

  /// A recipient: the epoch's key for a passphrase, for a key file, or for a machine.
  package struct Recipient: Equatable, Sendable {
    package var kind: Kind
    package var line: Line

    package enum Kind: Equatable, Sendable {
      /// With the cost and the salt of scrypt, whose result is the recipient's private key.
      case passphrase(KDFParameters, salt: [UInt8])
      case keyFile
      case machine

      var isPassphrase: Bool { if case .passphrase = self { true } else { false } }
    }
  }

  /// AES-256-GCM: the nonce, and the ciphertext with its tag.
  struct SealedBytes: Equatable, Sendable {
    var nonce: [UInt8]
    var ciphertext: [UInt8]
  }

  /// The identifier of a recipient's public key.
  package static func id(of key: P256PublicKey) -> String { hex(SHA256.hash(key.point.span).prefix(idCount)) }

  /// `true` if this header may take the place of another one of the keyring.
  func isLater(than other: KeyringHeader) -> Bool { keyring == other.keyring && epoch >= other.epoch }
}

/// The header of a shared keyring, of either form.
enum SharedHeader: Equatable {
  /// One key for ever: a passphrase wraps it, or it is a file.
  case former(AnyVaultHeader)
  case epochs(KeyringHeader)

  init(parsing contents: [UInt8]) throws(Damage) {
    self =
      KeyringHeader.isOne(contents)
      ? .epochs(try KeyringHeader(parsing: contents)) : .former(try AnyVaultHeader(parsing: contents))
  }
}

/// The keys of the epochs before: each is sealed under the one after it, so that the latest one leads to all of them.
extension KeyringHeader {
  /// The key of an epoch.
  ///
  /// - Parameters:
  ///   - epoch: The number of the key.
  ///   - latest: The key of this header.
  /// - Returns: `nil` for one that the chain does not reach, or that was not sealed under the next.
  func key(of epoch: Int64, from latest: EpochKey) -> EpochKey? {
    guard (1...latest.epoch).contains(epoch), latest.epoch - epoch <= Int64(chain.count) else { return nil }
    var key = latest
    for link in chain.prefix(Int(latest.epoch - epoch)) {
      guard
        let former = try? AESGCM.open(
          link,
          key: Self.derived("chain", key),
          nonce: Self.onlyNonce,
          associatedData: linkData(key.epoch)
        ), former.count == AESGCM.keyCount
      else { return nil }
      key = EpochKey(epoch: key.epoch - 1, key: former)
    }
    return key
  }

  /// Seals the key of the epoch before under a new one.
  func link(to former: EpochKey, under key: EpochKey) throws(CryptoError) -> [UInt8] {
    try AESGCM.seal(
      former.key,
      key: Self.derived("chain", key),
      nonce: Self.onlyNonce,
      associatedData: linkData(key.epoch)
    )
  }

  /// A key that is derived for one message alone takes any nonce.
  private static let onlyNonce = [UInt8](repeating: 0, count: AESGCM.nonceCount)

  private func linkData(_ epoch: Int64) -> [UInt8] { Array("acct keyring 3 chain \(hex(keyring)) \(epoch)".utf8) }
}

extension KeyringHeader {
  /// Makes the header of an epoch.
  ///
  /// - Parameters:
  ///   - keyring: The keyring's identifier.
  ///   - key: The epoch's key.
  ///   - former: The epoch before, whose objects are still to be sealed anew.
  ///   - roster: The recipients.
  ///   - removals: The notes for machines that were removed.
  ///   - entropy: For nonces.
  /// - Throws: ``CryptoError`` if the library fails.
  init(
    keyring: [UInt8],
    _ key: EpochKey,
    after former: EpochKeys.Opened?,
    for roster: Roster,
    removals: [Line],
    _ entropy: Entropy
  ) throws(CryptoError) {
    self.init(
      keyring: keyring,
      epoch: key.epoch,
      recipients: [],
      removals: removals,
      chain: [],
      isChanging: former != nil,
      roster: SealedBytes(nonce: [], ciphertext: []),
      mac: []
    )
    for shared in roster.shared { try add(shared.publicKey, shared.kind, key) }
    for machine in roster.machines { try add(machine.publicKey, .machine, key) }
    if let former {
      let link = try link(to: former.current, under: key)
      chain = Array(([link] + (former.header?.chain ?? [])).prefix(Self.chainLimit))
    }
    try put(roster, key, entropy)
  }

  /// Wraps the epoch's key for one more recipient; ``put(_:_:_:)`` authenticates it.
  package mutating func add(_ recipient: P256PublicKey, _ kind: Recipient.Kind, _ key: EpochKey) throws(CryptoError) {
    let message = try HPKE.seal(key.key, to: recipient, info: info("recipient"))
    recipients.append(Recipient(kind: kind, line: Line(id: Self.id(of: recipient), message: message)))
  }

  /// Seals the roster, and authenticates the header.
  package mutating func put(_ roster: Roster, _ key: EpochKey, _ entropy: Entropy) throws(CryptoError) {
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(
      roster.plaintext,
      key: Self.derived("roster", key),
      nonce: nonce,
      associatedData: associatedData("roster")
    )
    self.roster = SealedBytes(nonce: nonce, ciphertext: sealed)
    mac = code(key)
  }

  /// `true` if a machine with the epoch's key has made it as it is.
  func isAuthentic(_ key: EpochKey) -> Bool { ConstantTime.equal(code(key).span, mac.span) }

  /// Opens the roster; `nil` if it is damaged.
  package func roster(_ key: EpochKey) -> Roster? {
    let plaintext = try? AESGCM.open(
      roster.ciphertext,
      key: Self.derived("roster", key),
      nonce: roster.nonce,
      associatedData: associatedData("roster")
    )
    return plaintext.flatMap(Roster.init)
  }

  /// Unwraps the epoch's key by a recipient's; `nil` if it is none of this header's.
  ///
  /// - Throws: ``KeyringFailure`` if the recipient's key can't be used now.
  func key(by recipient: RecipientKey) throws(KeyringFailure) -> EpochKey? {
    let id = Self.id(of: recipient.publicKey)
    for line in recipients.map(\.line) where line.id == id {
      guard let key = try recipient.open(line.message, info: info("recipient")), key.count == AESGCM.keyCount
      else { continue }
      return EpochKey(epoch: epoch, key: key)
    }
    return nil
  }

  /// The private key that a passphrase stands for.
  package static func key(
    of passphrase: Secret,
    _ kdf: KDFParameters,
    salt: [UInt8]
  ) throws(CryptoError) -> P256PrivateKey {
    try HPKE.key(of: Scrypt.deriveKey(passphrase: passphrase, salt: salt, parameters: kdf))
  }

  /// The private key that a key file stands for.
  package static func key(ofFile key: Secret) throws(CryptoError) -> P256PrivateKey { try HPKE.key(of: key) }

  /// The purpose of a message of HPKE: this keyring, this form.
  func info(_ purpose: String) -> [UInt8] { Array("acct keyring 3 \(purpose) \(hex(keyring))".utf8) }

  private func associatedData(_ part: String) -> [UInt8] {
    Array("acct keyring 3 \(part) \(hex(keyring)) \(epoch)".utf8)
  }

  private func code(_ key: EpochKey) -> [UInt8] {
    HMACSHA256.code(authenticated.span, key: Self.derived("header", key))
  }

  static func derived(_ purpose: String, _ key: EpochKey) -> Secret {
    HMACSHA256.derivedKey("acct keyring 3 \(purpose)", from: key.key)
  }
}

/// A key of the keyring, and which one it is.
package struct EpochKey: Equatable, Sendable {
  package var epoch: Int64
  package var key: Secret

  package init(epoch: Int64, key: Secret) {
    self.epoch = epoch
    self.key = key
  }
}

extension KeyringHeader {
  /// A note that one machine alone can read: who removed it, and when (seconds since 1970).
  struct Removal: Equatable, Sendable {
    var by: String
    var at: Int64
  }

  /// Seals a note for a machine.
  func line(_ removal: Removal, for machine: P256PublicKey) throws(CryptoError) -> Line {
    let note: JSON = [.string(removal.by), JSON(removal.at)]
    let message = try HPKE.seal(Secret(note.serialized()), to: machine, info: info("removal"))
    return Line(id: Self.id(of: machine), message: message)
  }

  /// The note for a machine, if it was removed.
  ///
  /// - Throws: ``KeyringFailure`` if the machine's key can't be used now.
  func removal(of machine: RecipientKey) throws(KeyringFailure) -> Removal? {
    let id = Self.id(of: machine.publicKey)
    guard let line = removals.last(where: { $0.id == id }),
      let note = try machine.open(line.message, info: info("removal")),
      let parts = note.withBytes({ try? JSON(parsing: $0, maximumBytes: 4096) })?.arrayValue, parts.count == 2,
      let by = parts[0].stringValue, let at = parts[1].numberValue?.integer
    else { return nil }
    return Removal(by: by, at: at)
  }
}
