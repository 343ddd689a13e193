package import AcctCrypto
import AcctModel
import Vault
import Text

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
