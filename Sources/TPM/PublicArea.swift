import AcctModel
import AcctPorts

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
