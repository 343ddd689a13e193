/// The template of an object that a TPM makes (TPMT_PUBLIC, TPM 2.0 Library, Part 2 §12.2.4).
enum Template: Sendable {
  /// The parent of everything of acct's: the storage key of the owner's hierarchy.
  ///
  /// Template H-2 of the TCG's EK Credential Profile (§B.4.5), with no unique field, as
  /// draft-bottomley-tpm2-keys prescribes: every tool that reads such keys derives the same one.
  case storage
  /// An ECDSA key on P-256 that signs SHA-256 digests and does nothing else.
  case signing(hasPIN: Bool)
  /// An ECDH key on P-256 that computes shared points and does nothing else; it has no PIN.
  case agreement
  /// Up to 128 bytes.
  case sealed

  /// The longest data that a TPM seals (Part 2 §11.1.14, TPM2B_SENSITIVE_DATA).
  static let sealedLimit = 128

  var attributes: Attributes {
    switch self {
    case .storage: Attributes.bound.union([.madeHere, .noDictionaryAttacks, .restricted, .decrypts])
    case .signing(let hasPIN):
      Attributes.bound.union(hasPIN ? [.madeHere, .signs] : [.madeHere, .signs, .noDictionaryAttacks])
    case .agreement: Attributes.bound.union([.madeHere, .decrypts, .noDictionaryAttacks])
    case .sealed: Attributes.bound.union(.noDictionaryAttacks)
    }
  }

  /// Writes it as a TPM2B_PUBLIC (Part 2 §12.2.5).
  func write(to command: inout CommandWriter) {
    command.uint16(size)
    switch self {
    case .storage, .signing, .agreement: command.uint16(Algorithm.ecc)
    case .sealed: command.uint16(Algorithm.keyedHash)
    }
    command.uint16(Algorithm.sha256)
    command.uint32(attributes.rawValue)
    // No policy.
    command.uint16(0)
    switch self {
    case .storage:
      command.uint16(Algorithm.aes)
      command.uint16(128)
      command.uint16(Algorithm.cfb)
      command.uint16(Algorithm.null)
    case .signing:
      command.uint16(Algorithm.null)
      command.uint16(Algorithm.ecdsa)
      command.uint16(Algorithm.sha256)
    case .agreement:
      command.uint16(Algorithm.null)
      command.uint16(Algorithm.ecdh)
      command.uint16(Algorithm.sha256)
    case .sealed:
      command.uint16(Algorithm.null)
      return command.uint16(0)
    }
    command.uint16(Algorithm.p256)
    // No key derivation, and nothing that the point depends on.
    command.uint16(Algorithm.null)
    command.uint16(0)
    command.uint16(0)
  }

  private var size: UInt16 {
    switch self {
    case .storage: 26
    case .signing, .agreement: 24
    case .sealed: 14
    }
  }
}

/// The attributes of an object, which bound its use (TPMA_OBJECT, Part 2 §8.3).
struct Attributes: OptionSet, Sendable {
  let rawValue: UInt32

  /// It can't be moved to another TPM.
  static let fixedTPM = Attributes(rawValue: 1 << 1)
  /// It can't be moved below another parent.
  static let fixedParent = Attributes(rawValue: 1 << 4)
  /// Its secret part was made by this TPM (sensitiveDataOrigin).
  static let madeHere = Attributes(rawValue: 1 << 5)
  /// Its password, which may be empty, allows its use.
  static let userWithAuth = Attributes(rawValue: 1 << 6)
  /// Wrong passwords are not counted, and a lockout does not concern it (noDA).
  static let noDictionaryAttacks = Attributes(rawValue: 1 << 10)
  /// It works only on data that the TPM itself made.
  static let restricted = Attributes(rawValue: 1 << 16)
  static let decrypts = Attributes(rawValue: 1 << 17)
  static let signs = Attributes(rawValue: 1 << 18)

  /// The attributes of each of acct's objects.
  static let bound: Attributes = [.fixedTPM, .fixedParent, .userWithAuth]
}
