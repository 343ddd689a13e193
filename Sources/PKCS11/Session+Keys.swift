import AcctModel
import AcctPorts
import CPKCS11
import KeyDevices

/// The private half of a key, which stays in the token.
struct PrivateKey {
  let handle: CK_OBJECT_HANDLE
  let id: [UInt8]?
  let label: String?
}

extension Session {
  /// Finds the private halves that a URI names, of any kind.
  ///
  /// Labels are compared here: some modules count a zero at their end, which no template would match.
  func privateKeys(_ uri: PKCS11URI) throws(HardwareKeyFailure) -> [PrivateKey] {
    try objects(CKO_PRIVATE_KEY, uri).map { PrivateKey(handle: $0.0, id: $0.1, label: $0.2) }
  }

  /// Finds the one private half that a URI names.
  ///
  /// - Returns: The key; `nil` if there is none.
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` if there are two.
  func privateKey(_ uri: PKCS11URI) throws(HardwareKeyFailure) -> PrivateKey? {
    let keys = try privateKeys(uri)
    guard keys.count < 2 else {
      throw .unsuitable(reason: "\(keys.count) keys of \(token.name) match the URI; object=LABEL or id=ID selects one")
    }
    return keys.first
  }

  /// The URI by which a key's public half and its certificate are found: by the id alone where there is one,
  /// since modules give them labels of their own (ykcs11, OpenSC).
  func uriOfOthers(_ uri: PKCS11URI) -> PKCS11URI {
    var others = uri
    if others.id != nil { others.object = nil }
    return others
  }

  /// Finds objects of a class, with their id and label.
  func objects(
    _ kind: CK_OBJECT_CLASS,
    _ uri: PKCS11URI
  ) throws(HardwareKeyFailure) -> [(CK_OBJECT_HANDLE, [UInt8]?, String?)] {
    var template = Template()
    template.add(CKA_CLASS, kind)
    if let id = uri.id { template.add(CKA_ID, id) }
    var matching: [(CK_OBJECT_HANDLE, [UInt8]?, String?)] = []
    for handle in try find(template) {
      let label = try label(handle)
      if let wanted = uri.object, label != wanted { continue }
      // Asked for, and not taken from the URI: a module may ignore the template.
      let id = try value(of: CKA_ID, handle).flatMap { $0.isEmpty ? nil : $0 }
      if let wanted = uri.id, id != wanted { continue }
      matching.append((handle, id, label))
    }
    return matching
  }

  /// Makes sure that a key is one for ES256, can't leave the token, and is for signatures alone.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)``.
  func checkSuitable(_ key: PrivateKey) throws(HardwareKeyFailure) {
    guard try number(CKA_KEY_TYPE, key.handle) == CKK_EC else {
      throw .unsuitable(reason: "the key is not one of an elliptic curve")
    }
    if let parameters = try value(of: CKA_EC_PARAMS, key.handle) {
      guard P256.isNamed(by: parameters) else { throw .unsuitable(reason: "the key is on another curve than P-256") }
    }
    guard try flag(CKA_SIGN, key.handle) == true else { throw .unsuitable(reason: "the key may not sign") }
    // A token that does not know the notion of extraction has no call for it either.
    guard try flag(CKA_SENSITIVE, key.handle) == true, try flag(CKA_EXTRACTABLE, key.handle) != true
    else { throw .unsuitable(reason: "the key can be copied out of the token") }
    guard try flag(CKA_DERIVE, key.handle) != true else {
      throw .unsuitable(reason: "the key may also derive other keys (ECDH)")
    }
    // CKA_DECRYPT says nothing of a key of an elliptic curve, with which no mechanism decrypts: SoftHSM and
    // ykcs11 set it for every key. One mechanism unwraps.
    if try flag(CKA_UNWRAP, key.handle) == true, try supports(CKM_ECDH_AES_KEY_WRAP) {
      throw .unsuitable(reason: "the key may also unwrap other keys")
    }
  }

  /// `true` if the token says that a half was imported, or that the private half was not always protected.
  ///
  /// Only an attribute that a token denies counts: older tokens know none of these, and a public half has but the
  /// first.
  func mayHaveCopies(_ half: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> Bool {
    for attribute in [CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE]
    where try flag(attribute, half) == false { return true }
    return false
  }

  private func supports(_ mechanism: CK_MECHANISM_TYPE) throws(HardwareKeyFailure) -> Bool {
    var info = CK_MECHANISM_INFO()
    let result = unsafe module.functions.C_GetMechanismInfo?(token.slot, mechanism, &info)
    switch try module.answer("C_GetMechanismInfo", result) {
    case CKR_MECHANISM_INVALID: return false
    case let result: try module.check("C_GetMechanismInfo", result)
    }
    return true
  }

  /// The public point of a key: of its public half, its certificate, or as the private half itself tells it.
  func point(of key: PrivateKey) throws(HardwareKeyFailure) -> HardwareKeyPoint {
    var uri = PKCS11URI()
    uri.id = key.id
    if key.id == nil { uri.object = key.label }
    if uri.id != nil || uri.object != nil {
      var points: Set<HardwareKeyPoint> = []
      for (handle, _, _) in try objects(CKO_PUBLIC_KEY, uri) {
        if let point = try pointOfPublicKey(handle) { points.insert(point) }
      }
      guard points.count < 2 else { throw .unsuitable(reason: "the token has two public halves for the key") }
      if let point = points.first { return point }
      for (handle, _, _) in try objects(CKO_CERTIFICATE, uri) {
        if let point = try value(of: CKA_VALUE, handle).flatMap(P256.certifiedPoint) { return point }
      }
    }
    if let point = try value(of: CKA_EC_POINT, key.handle).flatMap(P256.point) { return point }
    throw .unsuitable(reason: "the token has neither the key's public half nor a certificate for it")
  }

  /// The point of a public half; `nil` if it is no key on P-256.
  func pointOfPublicKey(_ handle: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> HardwareKeyPoint? {
    guard try number(CKA_KEY_TYPE, handle) == CKK_EC,
      let parameters = try value(of: CKA_EC_PARAMS, handle), P256.isNamed(by: parameters)
    else { return nil }
    return try value(of: CKA_EC_POINT, handle).flatMap(P256.point)
  }
}

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
