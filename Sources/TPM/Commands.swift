import AcctModel
import AcctPorts
import Secrets

/// The parameters of each command.
extension CommandWriter {
  /// TPM 2.0 Library, Part 3 §24.1.
  static func createPrimary() -> CommandWriter {
    var command = CommandWriter(.createPrimary, handle: Handle.owner, password: nil)
    command.object(.storage, password: nil, data: nil)
    return command
  }

  /// Part 3 §12.1.
  static func create(
    _ template: Template,
    below parent: UInt32,
    password: Secret? = nil,
    data: Secret? = nil
  ) -> CommandWriter {
    var command = CommandWriter(.create, handle: parent, password: nil)
    command.object(template, password: password, data: data)
    return command
  }

  /// Part 3 §12.2.
  static func load(_ key: KeyFile, below parent: UInt32) -> CommandWriter {
    var command = CommandWriter(.load, handle: parent, password: nil)
    command.raw(key.privatePart)
    command.raw(key.publicPart)
    return command
  }

  /// Part 3 §20.2: ECDSA, of a digest that need not come from the TPM (an empty TPMT_TK_HASHCHECK, Part 2 §10.6.6).
  static func sign(_ digest: [UInt8], with key: UInt32, password: Secret?) -> CommandWriter {
    var command = CommandWriter(.sign, handle: key, password: password)
    command.sized(digest)
    command.uint16(Algorithm.ecdsa)
    command.uint16(Algorithm.sha256)
    command.uint16(StructureTag.hashCheck)
    command.uint32(Handle.null)
    command.uint16(0)
    return command
  }

  /// Part 3 §14.5, TPM2_ECDH_ZGen: the point as a TPM2B_ECC_POINT (Part 2 §11.2.5.3).
  static func agree(with point: HardwareKeyPoint, by key: UInt32) -> CommandWriter {
    var command = CommandWriter(.agree, handle: key, password: nil)
    command.uint16(UInt16(4 + point.x.count + point.y.count))
    command.sized(point.x)
    command.sized(point.y)
    return command
  }

  /// Part 3 §12.7.
  static func unseal(_ object: UInt32) -> CommandWriter { CommandWriter(.unseal, handle: object, password: nil) }

  /// Part 3 §28.4: the handle is a parameter there.
  static func flushContext(_ object: UInt32) -> CommandWriter { CommandWriter(.flushContext, handle: object) }

  /// Part 3 §30.2.
  static func getCapability(_ capability: UInt32, from first: UInt32, count: UInt32) -> CommandWriter {
    var command = CommandWriter(.getCapability, handle: capability)
    command.uint32(first)
    command.uint32(count)
    return command
  }

  /// TPM2B_SENSITIVE_CREATE (Part 2 §11.1.16), the template, no outside information, no registers.
  private mutating func object(_ template: Template, password: Secret?, data: Secret?) {
    uint16(UInt16(4 + (password?.count ?? 0) + (data?.count ?? 0)))
    sized(password)
    sized(data)
    template.write(to: &self)
    uint16(0)
    uint32(0)
  }
}

/// A command in the form that a TPM takes (TPM 2.0 Library, Part 1 §18 and Part 3 §5).
///
/// Numbers are big-endian; the header is tag, size and command code. ``wipe()`` wipes a PIN or a secret in it.
struct CommandWriter {
  let code: CommandCode
  /// The whole command, after ``finish()``.
  private(set) var bytes: [UInt8]

  /// Begins a command with a handle and, where it needs one, a password for it.
  ///
  /// A password is a session of its own kind (TPMS_AUTH_COMMAND, Part 2 §10.13.2): the handle
  /// TPM_RS_PW, no nonce, no attributes, and the password where another session has an HMAC.
  init(_ code: CommandCode, handle: UInt32? = nil, password: Secret? = nil) {
    self.code = code
    bytes = []
    // The largest command has 600 bytes; one that grew would leave a copy of its PIN behind.
    bytes.reserveCapacity(1024)
    uint16(code.isAuthorized ? StructureTag.sessions : StructureTag.noSessions)
    uint32(0)
    uint32(code.rawValue)
    if let handle { uint32(handle) }
    guard code.isAuthorized else { return }
    uint32(UInt32(9 + (password?.count ?? 0)))
    uint32(Handle.password)
    uint16(0)
    byte(0)
    sized(password)
  }

  /// Writes the size into the header, when nothing follows.
  mutating func finish() {
    let count = UInt32(bytes.count)
    for place in 0..<4 { bytes[2 + place] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * place)) }
  }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func uint16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func uint32(_ value: UInt32) {
    uint16(UInt16(truncatingIfNeeded: value >> 16))
    uint16(UInt16(truncatingIfNeeded: value))
  }

  mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes bytes with their count before them, as every TPM2B does.
  mutating func sized(_ more: [UInt8]) {
    uint16(UInt16(truncatingIfNeeded: more.count))
    bytes.append(contentsOf: more)
  }

  /// Writes a secret as a TPM2B; an empty one for none.
  mutating func sized(_ secret: Secret?) {
    guard let secret else { return uint16(0) }
    uint16(UInt16(truncatingIfNeeded: secret.count))
    secret.withBytes { span in
      for index in span.indices { bytes.append(span[index]) }
    }
  }

  /// Overwrites the command.
  mutating func wipe() { Secrets.wipe(&bytes) }
}

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
