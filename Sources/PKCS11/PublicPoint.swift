import AcctModel
import AcctPorts

/// P-256 and its points as tokens write them (PKCS #11 current mechanisms 2.40, section 2.3.3).
enum P256 {
  /// CKA_EC_PARAMS: DER of the curve's object identifier, 1.2.840.10045.3.1.7.
  static let objectIdentifier: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

  /// CKA_EC_PARAMS as the name of a curve, a PrintableString: SEC 2's and ANSI X9.62's, and NIST's.
  private static let names: Set<String> = ["secp256r1", "prime256v1", "P-256"]

  /// `true` if CKA_EC_PARAMS names this curve.
  static func isNamed(by parameters: [UInt8]) -> Bool {
    if parameters == objectIdentifier { return true }
    guard let name = DER.element(0x13, alone: parameters[...]) else { return false }
    return names.contains(String(decoding: name, as: UTF8.self))
  }

  /// Reads CKA_EC_POINT: an uncompressed point in a DER OCTET STRING, or, as older modules have it, without.
  static func point(_ value: [UInt8]) -> HardwareKeyPoint? {
    if let point = uncompressed(value[...]) { return point }
    return DER.element(0x04, alone: value[...]).flatMap(uncompressed)
  }

  /// Reads the point of the key in an X.509 certificate (RFC 5280, section 4.1); `nil` for another kind of key.
  static func certifiedPoint(_ value: [UInt8]) -> HardwareKeyPoint? {
    guard let certificate = DER.element(0x30, alone: value[...]) else { return nil }
    var outer = certificate
    guard var fields = DER.take(0x30, from: &outer) else { return nil }
    // The version, which is optional; serial number, algorithm, issuer, validity, subject.
    _ = DER.take(0xA0, from: &fields)
    for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] {
      guard DER.take(tag, from: &fields) != nil else { return nil }
    }
    guard var info = DER.take(0x30, from: &fields), let algorithm = DER.take(0x30, from: &info),
      Array(algorithm) == publicKey + objectIdentifier, let bits = DER.take(0x03, from: &info),
      // The number of unused bits of the last byte.
      bits.first == 0
    else { return nil }
    return uncompressed(bits.dropFirst())
  }

  /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480, section 2.1.1).
  private static let publicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  /// SEC 1, section 2.3.3.
  private static func uncompressed(_ bytes: ArraySlice<UInt8>) -> HardwareKeyPoint? {
    guard bytes.count == 65, bytes.first == 0x04 else { return nil }
    let coordinates = bytes.dropFirst()
    return HardwareKeyPoint(x: Array(coordinates.prefix(32)), y: Array(coordinates.suffix(32)))
  }
}

/// As much of DER as certificates and points need: elements of definite length.
private enum DER {
  /// The contents of an element that is all there is.
  static func element(_ tag: UInt8, alone bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    guard let contents = take(tag, from: &rest), rest.isEmpty else { return nil }
    return contents
  }

  /// Takes the first element if it has this tag, and returns its contents.
  static func take(_ tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let size = Int(first & 0x7F)
      guard (1...3).contains(size), rest.count >= size else { return nil }
      length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(size)
    }
    guard rest.count >= length else { return nil }
    bytes = rest.dropFirst(length)
    return rest.prefix(length)
  }
}
