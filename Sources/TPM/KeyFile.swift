package import AcctModel
package import AcctPorts
package import KeyDevices

/// An object of a TPM as tools keep it: TPMKey of draft-bottomley-tpm2-keys, as DER.
///
///     TPMKey ::= SEQUENCE {
///       type         OBJECT IDENTIFIER,
///       emptyAuth    [0] EXPLICIT BOOLEAN OPTIONAL,
///       policy       [1] …, secret [2] …, authPolicy [3] …          -- refused
///       description  [4] EXPLICIT UTF8String OPTIONAL,              -- passed over
///       rsaParent    [5] …                                          -- refused
///       parent       INTEGER,
///       pubkey       OCTET STRING,                                  -- TPM2B_PUBLIC
///       privkey      OCTET STRING }                                 -- TPM2B_PRIVATE
package struct KeyFile: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// id-loadablekey.
    case loadable = 3
    /// id-sealedkey.
    case sealed = 5
  }

  package var kind: Kind
  /// `true` if it has an empty password.
  package var emptyAuth: Bool
  /// The owner's hierarchy, or the handle of a key that stays loaded.
  package var parent: UInt32
  /// TPM2B_PUBLIC and TPM2B_PRIVATE (TPM 2.0 Library, Part 2 §12.2.5 and §12.3.7).
  package var publicPart: [UInt8]
  package var privatePart: [UInt8]

  /// The longest one that is read; acct's have 300 bytes.
  private static let limit = 2048

  package init(_ kind: Kind, emptyAuth: Bool, parent: UInt32 = 0x4000_0001, publicPart: [UInt8], privatePart: [UInt8]) {
    self.kind = kind
    self.emptyAuth = emptyAuth
    self.parent = parent
    self.publicPart = publicPart
    self.privatePart = privatePart
  }

  /// Reads DER.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)``.
  package init(der: [UInt8]) throws(HardwareKeyFailure) {
    guard der.count <= Self.limit else { throw .noKeyFile }
    var outer = DERReader(der[...])
    var fields = DERReader(try outer.contents(of: DERTag.sequence))
    try outer.finish()
    let type = try fields.contents(of: DERTag.objectIdentifier)
    guard type.dropLast().elementsEqual(Self.arc), let last = type.last, let kind = Kind(rawValue: last)
    else { throw .unsuitable(reason: "it is no loadable key of a TPM 2.0") }
    self.kind = kind
    emptyAuth = false
    if let field = try fields.optional(DERTag.explicit(0)) {
      var inner = DERReader(field)
      let value = try inner.contents(of: DERTag.boolean)
      try inner.finish()
      // DER's true is 255; tpm2-openssl writes 1.
      guard value.count == 1, let byte = value.first else { throw .noKeyFile }
      emptyAuth = byte != 0
    }
    for number in 1...3 as ClosedRange<UInt8> {
      guard try fields.optional(DERTag.explicit(number)) == nil else {
        throw .unsuitable(reason: "its use depends on a policy")
      }
    }
    _ = try fields.optional(DERTag.explicit(4))
    guard try fields.optional(DERTag.explicit(5)) == nil else { throw .unsuitable(reason: "its parent is an RSA key") }
    parent = try fields.uint32()
    guard parent == Handle.owner || Handle.isPersistent(parent) else {
      throw .unsuitable(reason: "its parent is neither the owner's hierarchy nor a key that stays")
    }
    publicPart = try Self.sized(try fields.contents(of: DERTag.octetString))
    privatePart = try Self.sized(try fields.contents(of: DERTag.octetString))
    try fields.finish()
  }

  /// DER of it.
  package var der: [UInt8] {
    var contents: [UInt8] = []
    DERWriter.write(DERTag.objectIdentifier, Self.arc + [kind.rawValue], to: &contents)
    if emptyAuth { DERWriter.write(DERTag.explicit(0), [DERTag.boolean, 1, 0xFF], to: &contents) }
    DERWriter.write(parent, to: &contents)
    DERWriter.write(DERTag.octetString, publicPart, to: &contents)
    DERWriter.write(DERTag.octetString, privatePart, to: &contents)
    var whole: [UInt8] = []
    DERWriter.write(DERTag.sequence, contents, to: &whole)
    return whole
  }

  /// 2.23.133.10.1, of the TCG.
  private static let arc: [UInt8] = [0x67, 0x81, 0x05, 0x0A, 0x01]

  /// The bytes of a TPM2B with its count, which must be theirs.
  private static func sized(_ bytes: ArraySlice<UInt8>) throws(HardwareKeyFailure) -> [UInt8] {
    var cursor = Cursor(bytes)
    do throws(HardwareKeyFailure) {
      _ = try cursor.sized()
      try cursor.finish()
    } catch { throw .noKeyFile }
    return Array(bytes)
  }
}

extension HardwareKeyFailure {
  /// The bytes are no TPMKey.
  static let noKeyFile = unsuitable(reason: "it is not the DER of a TSS2 private key")
}

extension TPMKey {
  /// Reads the public part of a signing key's file.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for one of another kind.
  package init(_ file: KeyFile) throws(HardwareKeyFailure) {
    guard file.kind == .loadable else { throw .unsuitable(reason: "it is sealed data, and no key") }
    self.init(blob: file.der, point: try file.signingKey().point, hasPIN: !file.emptyAuth)
  }
}

extension KeyFile {
  /// The point of a key for ECDH.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for a file of another kind.
  package var agreementPoint: HardwareKeyPoint {
    get throws(HardwareKeyFailure) {
      guard kind == .loadable, emptyAuth else { throw .unsuitable(reason: "it is no key for ECDH without a PIN") }
      return try inFile { () throws(HardwareKeyFailure) in try PublicArea.agreementKey(publicPart) }
    }
  }

  /// `true` if wrong PINs of the key are counted.
  var isCounted: Bool {
    get throws(HardwareKeyFailure) { !(try signingKey().attributes.contains(.noDictionaryAttacks)) }
  }

  fileprivate func signingKey() throws(HardwareKeyFailure) -> (point: HardwareKeyPoint, attributes: Attributes) {
    try inFile { () throws(HardwareKeyFailure) in try PublicArea.signingKey(publicPart) }
  }

  /// Reads a public part that stands in a file, and is no reply.
  private func inFile<Value>(
    _ read: () throws(HardwareKeyFailure) -> Value
  ) throws(HardwareKeyFailure) -> Value {
    do throws(HardwareKeyFailure) { return try read() } catch {
      if case .malformedReply = error { throw .noKeyFile }
      throw error
    }
  }
}
