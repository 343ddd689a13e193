package import AcctCrypto
import AcctModel
package import Secrets
package import AcctPorts
import StrictJSON
import Vault
import Text

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
