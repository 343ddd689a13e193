import AcctModel
import AcctPorts
import KeyDevices
import CPKCS11

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
