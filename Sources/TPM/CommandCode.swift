/// The commands that acct gives a TPM (TPM 2.0 Library, Part 2 §6.5.2, TPM_CC).
package enum CommandCode: UInt32, CaseIterable, Sendable {
  /// Derives a key from the seed of a hierarchy (Part 3 §24.1).
  case createPrimary = 0x131
  /// Makes a key or a sealed object below a loaded parent, and returns it encrypted (Part 3 §12.1).
  case create = 0x153
  /// Multiplies a point by a key's scalar (Part 3 §14.5).
  case agree = 0x154
  /// Loads the key that ``create`` returned (Part 3 §12.2).
  case load = 0x157
  /// Signs a digest (Part 3 §20.2).
  case sign = 0x15D
  /// Returns the data of a sealed object (Part 3 §12.7).
  case unseal = 0x15E
  /// Removes a loaded object (Part 3 §28.4).
  case flushContext = 0x165
  /// Lists handles and properties (Part 3 §30.2).
  case getCapability = 0x17A

  /// `true` if a password stands in front of its parameters.
  var isAuthorized: Bool {
    switch self {
    case .createPrimary, .create, .agree, .load, .sign, .unseal: true
    case .flushContext, .getCapability: false
    }
  }

  /// `true` if its reply begins with the handle of a new object.
  var returnsHandle: Bool {
    switch self {
    case .createPrimary, .load: true
    case .create, .agree, .sign, .unseal, .flushContext, .getCapability: false
    }
  }
}

/// Handles that acct names (Part 2 §7.4, TPM_RH, and §7.2, TPM_HT).
enum Handle {
  /// TPM_RH_OWNER: the hierarchy of the machine's owner.
  static let owner: UInt32 = 0x4000_0001
  /// TPM_RH_NULL: no hierarchy.
  static let null: UInt32 = 0x4000_0007
  /// TPM_RS_PW: a password instead of a session.
  static let password: UInt32 = 0x4000_0009
  /// TRANSIENT_FIRST: objects that are loaded until they are flushed.
  static let firstTransient: UInt32 = 0x8000_0000
  /// The storage key that stays loaded (TCG TPM v2.0 Provisioning Guidance).
  static let storageKey: UInt32 = 0x8100_0001

  static func isTransient(_ handle: UInt32) -> Bool { handle >> 24 == 0x80 }
  static func isPersistent(_ handle: UInt32) -> Bool { handle >> 24 == 0x81 }
}

/// The tags that tell the layout of a command, a reply or a ticket (Part 2 §6.9, TPM_ST).
enum StructureTag {
  static let noSessions: UInt16 = 0x8001
  static let sessions: UInt16 = 0x8002
  static let hashCheck: UInt16 = 0x8024
  /// The tag of a TPM 1.2's replies.
  static let oldReply: UInt16 = 0x00C4
}

/// Algorithms and the curve that acct uses (Part 2 §6.3, TPM_ALG_ID, and §6.4, TPM_ECC_CURVE).
enum Algorithm {
  static let aes: UInt16 = 0x0006
  static let keyedHash: UInt16 = 0x0008
  static let sha256: UInt16 = 0x000B
  static let null: UInt16 = 0x0010
  static let ecdsa: UInt16 = 0x0018
  static let ecdh: UInt16 = 0x0019
  static let ecc: UInt16 = 0x0023
  static let cfb: UInt16 = 0x0043
  static let p256: UInt16 = 0x0003
}
