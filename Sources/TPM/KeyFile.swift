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

/// Tags of DER (X.690 §8) that a key's file has.
enum DERTag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let octetString: UInt8 = 0x04
  static let objectIdentifier: UInt8 = 0x06
  static let sequence: UInt8 = 0x30

  static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// A position in DER; bytes that are not DER, such as a length in more bytes than it needs, are refused.
///
/// Every step throws ``HardwareKeyFailure/unsuitable(reason:)``.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The contents of the next element, which has the tag.
  mutating func contents(of tag: UInt8) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    guard let contents = try optional(tag) else { throw .noKeyFile }
    return contents
  }

  /// The contents of the next element, if it has the tag.
  mutating func optional(_ tag: UInt8) throws(HardwareKeyFailure) -> ArraySlice<UInt8>? {
    guard rest.first == tag else { return nil }
    var after = rest.dropFirst()
    guard let first = after.popFirst() else { throw .noKeyFile }
    var count = Int(first)
    if first >= 0x80 {
      // Two bytes of length at most: a file has fewer than 65536.
      let bytes = Int(first & 0x7F)
      guard (1...2).contains(bytes), bytes <= after.count, after.first != 0 else { throw .noKeyFile }
      count = after.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
      after = after.dropFirst(bytes)
      guard count >= 0x80 else { throw .noKeyFile }
    }
    guard count <= after.count else { throw .noKeyFile }
    rest = after.dropFirst(count)
    return after.prefix(count)
  }

  /// A number that is not negative.
  mutating func uint32() throws(HardwareKeyFailure) -> UInt32 {
    var digits = try contents(of: DERTag.integer)
    guard let first = digits.first, first < 0x80 else { throw .noKeyFile }
    if first == 0, digits.count > 1 {
      digits.removeFirst()
      guard digits.first ?? 0 >= 0x80 else { throw .noKeyFile }
    }
    guard digits.count <= 4 else { throw .noKeyFile }
    return digits.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Throws unless everything was read.
  func finish() throws(HardwareKeyFailure) {
    guard rest.isEmpty else { throw .noKeyFile }
  }
}

/// Writes elements of DER.
enum DERWriter {
  static func write(_ tag: UInt8, _ contents: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(tag)
    let count = contents.count
    if count >= 0x100 {
      bytes += [0x82, UInt8(truncatingIfNeeded: count >> 8)]
    } else if count >= 0x80 {
      bytes.append(0x81)
    }
    bytes.append(UInt8(truncatingIfNeeded: count))
    bytes += contents
  }

  /// Writes a number as an INTEGER, whose first bit is its sign.
  static func write(_ number: UInt32, to bytes: inout [UInt8]) {
    var digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    while digits.count > 1, digits[0] == 0, digits[1] < 0x80 { digits.removeFirst() }
    write(DERTag.integer, digits[0] >= 0x80 ? [0] + digits : digits, to: &bytes)
  }
}

/// The public part of an object (TPM2B_PUBLIC, TPM 2.0 Library, Part 2 §12.2.5 and §12.2.4).
enum PublicArea {
  /// Reads that of a key as ``Template/signing(hasPIN:)`` describes, whether or not its scheme is fixed.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for a key of another kind;
  ///   ``HardwareKeyFailure/malformedReply(reason:)``.
  static func signingKey(
    _ bytes: [UInt8]
  ) throws(HardwareKeyFailure) -> (point: HardwareKeyPoint, attributes: Attributes) {
    var (cursor, attributes) = try key(bytes)
    if let reason = flaw(of: attributes) { throw .unsuitable(reason: reason) }
    try cursor.expect(Algorithm.null)
    switch try cursor.uint16() {
    case Algorithm.null: break
    case Algorithm.ecdsa:
      guard try cursor.uint16() == Algorithm.sha256 else {
        throw .unsuitable(reason: "the key signs another hash than SHA-256")
      }
    default: throw .unsuitable(reason: "the key is not for ECDSA")
    }
    return (try point(&cursor), attributes)
  }

  /// Reads that of a key as ``Template/agreement`` describes.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for a key of another kind, such as one that signs;
  ///   ``HardwareKeyFailure/malformedReply(reason:)``.
  static func agreementKey(_ bytes: [UInt8]) throws(HardwareKeyFailure) -> HardwareKeyPoint {
    var (cursor, attributes) = try key(bytes)
    guard attributes == Template.agreement.attributes else {
      throw .unsuitable(reason: "the key has other attributes than one for ECDH")
    }
    try cursor.expect(Algorithm.null)
    guard try cursor.uint16() == Algorithm.ecdh, try cursor.uint16() == Algorithm.sha256 else {
      throw .unsuitable(reason: "the key is not for ECDH")
    }
    return try point(&cursor)
  }

  /// Reads that of a sealed object, as ``Template/sealed`` describes.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` or
  ///   ``HardwareKeyFailure/malformedReply(reason:)``.
  static func checkSealed(_ bytes: [UInt8]) throws(HardwareKeyFailure) {
    var cursor = try contents(bytes)
    guard try cursor.uint16() == Algorithm.keyedHash else {
      throw .unsuitable(reason: "it is a key, and no sealed data")
    }
    guard try policyless(&cursor) == Template.sealed.attributes else {
      throw .unsuitable(reason: "the sealed data have other attributes")
    }
    try cursor.expect(Algorithm.null)
    _ = try cursor.sized(upTo: 64)
    try cursor.finish()
  }

  /// Reads up to the attributes of a key on an elliptic curve.
  private static func key(
    _ bytes: [UInt8]
  ) throws(HardwareKeyFailure) -> (rest: Cursor, attributes: Attributes) {
    var cursor = try contents(bytes)
    guard try cursor.uint16() == Algorithm.ecc else { throw .unsuitable(reason: "the key is not of an elliptic curve") }
    let attributes = try policyless(&cursor)
    return (cursor, attributes)
  }

  /// Reads curve, key derivation and point, which end the public part of a key.
  private static func point(_ cursor: inout Cursor) throws(HardwareKeyFailure) -> HardwareKeyPoint {
    guard try cursor.uint16() == Algorithm.p256 else { throw .unsuitable(reason: "the key is not on P-256") }
    try cursor.expect(Algorithm.null)
    let point = HardwareKeyPoint(x: try cursor.coordinate(), y: try cursor.coordinate())
    try cursor.finish()
    return point
  }

  private static func contents(_ bytes: [UInt8]) throws(HardwareKeyFailure) -> Cursor {
    var cursor = Cursor(bytes[...])
    let contents = Cursor(try cursor.sized())
    try cursor.finish()
    return contents
  }

  /// Reads the hash of the object's name, its attributes, and a policy, which it must not have.
  private static func policyless(_ cursor: inout Cursor) throws(HardwareKeyFailure) -> Attributes {
    guard try cursor.uint16() == Algorithm.sha256 else { throw .unsuitable(reason: "its name is not of SHA-256") }
    let attributes = Attributes(rawValue: try cursor.uint32())
    guard try cursor.uint16() == 0 else { throw .unsuitable(reason: "its use depends on a policy") }
    return attributes
  }

  /// Why a key can't be an account's, by what it may be used for.
  private static func flaw(of attributes: Attributes) -> String? {
    if attributes.contains(.decrypts) { return "the key may also decrypt" }
    if !attributes.contains([.fixedTPM, .fixedParent]) { return "the key can be duplicated" }
    if !attributes.contains(.madeHere) { return "the key was not made in the TPM" }
    if attributes.contains(.restricted) { return "the key signs only what the TPM made" }
    let wanted = Template.signing(hasPIN: true).attributes
    return attributes.subtracting(.noDictionaryAttacks) == wanted
      ? nil : "the key has other attributes"
  }
}
