import AcctModel
import AcctPorts
import CPKCS11
import KeyDevices
import Secrets

/// A session with a token; its user is logged out again when it ends.
struct Session {
  let module: Module
  let token: Token
  let handle: CK_SESSION_HANDLE

  /// Opens a session for the length of a call.
  static func with<Result>(
    _ token: Token,
    of module: Module,
    writing: Bool = false,
    _ body: (Session) throws(HardwareKeyFailure) -> Result
  ) throws(HardwareKeyFailure) -> Result {
    var handle: CK_SESSION_HANDLE = 0
    let flags = CKF_SERIAL_SESSION | (writing ? CKF_RW_SESSION : 0)
    try module.check("C_OpenSession", unsafe module.functions.C_OpenSession?(token.slot, flags, nil, nil, &handle))
    let session = Session(module: module, token: token, handle: handle)
    // A token that was pulled out can't be told good-bye: the results of these calls are of no use.
    defer { _ = module.functions.C_CloseSession?(handle) }
    return try body(session)
  }

  /// Logs the user in for the length of a call, where the token wants that.
  ///
  /// The PIN is `nil` for a token with a PIN pad, or one that wants no login.
  func loggedIn<Result>(
    _ pin: Secret?,
    _ body: () throws(HardwareKeyFailure) -> Result
  ) throws(HardwareKeyFailure) -> Result {
    guard token.needsLogin else { return try body() }
    try logIn(CKU_USER, pin)
    defer { _ = module.functions.C_Logout?(handle) }
    return try body()
  }

  /// Presents the PIN, to the user's session or, with CKU_CONTEXT_SPECIFIC, to the one operation that was begun.
  func logIn(_ user: CK_USER_TYPE, _ pin: Secret?) throws(HardwareKeyFailure) {
    let result: CK_RV? =
      if let pin {
        pin.withBytes { bytes in
          unsafe bytes.withUnsafeBufferPointer { bytes in
            // The module only reads it (section 5.6: C_Login).
            let start = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            return unsafe module.functions.C_Login?(handle, user, start, CK_ULONG(bytes.count))
          }
        }
      } else {
        module.functions.C_Login?(handle, user, nil, 0)
      }
    switch try module.answer("C_Login", result) {
    case CKR_USER_ALREADY_LOGGED_IN: return
    case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE:
      // The token's description, read again, only adds to the failure.
      var now: Token?
      do throws(HardwareKeyFailure) { now = try Token.read(token.slot, module) } catch { now = nil }
      if now?.isLockedOut == true { throw .lockedOut }
      throw .wrongPIN(triesLeft: now?.triesLeft)
    case let result: try module.check("C_Login", result)
    }
  }

  /// Signs a digest (PKCS #11 current mechanisms 2.40, section 2.3.1: r and s, as long as the curve's order).
  ///
  /// The PIN is for a key that wants it again for each signature. Returns r and s, 32 bytes each.
  func sign(
    _ digest: [UInt8],
    with key: PrivateKey,
    _ pin: Secret?,
    _ touch: TouchWatch
  ) throws(HardwareKeyFailure) -> [UInt8] {
    var mechanism = unsafe CK_MECHANISM(mechanism: CKM_ECDSA, pParameter: nil, ulParameterLen: 0)
    try module.check("C_SignInit", unsafe module.functions.C_SignInit?(handle, &mechanism, key.handle))
    if token.needsLogin, try flag(CKA_ALWAYS_AUTHENTICATE, key.handle) == true { try logIn(CKU_CONTEXT_SPECIFIC, pin) }
    var digest = digest
    // More room than is needed: a module that answers in another form must not write beyond it.
    var signature = [UInt8](repeating: 0, count: 256)
    var count = CK_ULONG(signature.count)
    let result = touch.watch {
      unsafe module.functions.C_Sign?(handle, &digest, CK_ULONG(digest.count), &signature, &count)
    }
    switch try module.answer("C_Sign", result) {
    case CKR_OK: break
    // The values that modules return when a security key gave up waiting.
    case CKR_GENERAL_ERROR, CKR_DEVICE_ERROR, CKR_FUNCTION_FAILED, CKR_FUNCTION_CANCELED, CKR_FUNCTION_REJECTED:
      if touch.wasAnnounced { throw .notTouched }
      try module.check("C_Sign", result)
    default: try module.check("C_Sign", result)
    }
    guard count == 64 else { throw .malformedReply(reason: "a signature of \(count) bytes instead of 64") }
    return Array(signature.prefix(64))
  }

  /// Makes a key that can only sign, and never leaves the token.
  ///
  /// Both halves get the label and the CKA_ID.
  func makeKey(label: String, id: [UInt8]) throws(HardwareKeyFailure) -> (PrivateKey, publicHalf: CK_OBJECT_HANDLE) {
    var both = Template()
    both.add(CKA_TOKEN, true)
    both.add(CKA_LABEL, Array(label.utf8))
    both.add(CKA_ID, id)
    var publicHalf = both
    publicHalf.add(CKA_EC_PARAMS, P256.objectIdentifier)
    publicHalf.add(CKA_PRIVATE, false)
    publicHalf.add(CKA_VERIFY, true)
    var privateHalf = both
    privateHalf.add(CKA_PRIVATE, true)
    privateHalf.add(CKA_SENSITIVE, true)
    privateHalf.add(CKA_EXTRACTABLE, false)
    privateHalf.add(CKA_SIGN, true)
    // An attribute that is left out has the token's own default, which may be "yes".
    for use in [CKA_SIGN_RECOVER, CKA_DECRYPT, CKA_UNWRAP, CKA_DERIVE] { privateHalf.add(use, false) }
    var mechanism = unsafe CK_MECHANISM(mechanism: CKM_EC_KEY_PAIR_GEN, pParameter: nil, ulParameterLen: 0)
    var publicHandle: CK_OBJECT_HANDLE = 0
    var privateHandle: CK_OBJECT_HANDLE = 0
    let result = unsafe publicHalf.withAttributes { publicStart, publicCount in
      unsafe privateHalf.withAttributes { privateStart, privateCount in
        unsafe module.functions.C_GenerateKeyPair?(
          handle,
          &mechanism,
          publicStart,
          publicCount,
          privateStart,
          privateCount,
          &publicHandle,
          &privateHandle
        )
      }
    }
    try module.check("C_GenerateKeyPair", result)
    return (PrivateKey(handle: privateHandle, id: id, label: label), publicHandle)
  }

  /// Destroys both halves of a key.
  ///
  /// The private half is the last: while it is there, another try finds the other objects to remove.
  func removeKey(_ uri: PKCS11URI) throws(HardwareKeyFailure) {
    // Two private keys of one name are not both to go.
    let key = try privateKey(uri)
    // The public half of another key that has the same id stays.
    let isShared = try privateKeys(uriOfOthers(uri)).contains { $0.handle != key?.handle }
    let publicHalf = isShared ? uri : uriOfOthers(uri)
    for (handle, _, _) in try objects(CKO_PUBLIC_KEY, publicHalf) { try destroy(handle) }
    if let key { try destroy(key.handle) }
  }

  func destroy(_ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) {
    try module.check("C_DestroyObject", module.functions.C_DestroyObject?(handle, object))
  }

  /// Makes the key that a URI names, with this CKA_ID.
  func makeKey(_ uri: PKCS11URI, id: [UInt8]) throws(HardwareKeyFailure) -> PKCS11Key {
    try writing { writer throws(HardwareKeyFailure) in
      let (made, publicHalf) = try writer.makeKey(label: uri.object ?? "acct", id: id)
      do throws(HardwareKeyFailure) {
        // A module may give a new key another label and id than it was told (ykcs11 does).
        let realID = try writer.value(of: CKA_ID, made.handle).flatMap { $0.isEmpty ? nil : $0 }
        let label = try writer.label(made.handle)
        let key = PrivateKey(handle: made.handle, id: realID, label: label)
        try writer.checkSuitable(key)
        guard let point = try writer.pointOfPublicKey(publicHalf) else {
          throw .malformedReply(reason: "the token made a key that is not on P-256")
        }
        let named = try writer.uri(of: key, uri)
        guard try writer.privateKey(named) != nil else {
          throw .unsuitable(reason: "the token made a key that can't be found by its label and id")
        }
        return PKCS11Key(uri: named, point: point, isNew: true, mayHaveCopies: try writer.mayHaveCopies(made.handle))
      } catch {
        // A key that a token made and should not have is of no use; the first failure is the one to report.
        try? writer.destroy(publicHalf)
        try? writer.destroy(made.handle)
        throw error
      }
    }
  }

  /// Opens a second session, which may write; the login is one for both.
  func writing<Result>(_ body: (Session) throws(HardwareKeyFailure) -> Result) throws(HardwareKeyFailure) -> Result {
    try Session.with(token, of: module, writing: true, body)
  }

  /// The URI that names exactly one key: by module, token, label and id.
  func uri(of key: PrivateKey, _ given: PKCS11URI) throws(HardwareKeyFailure) -> PKCS11URI {
    guard let uri = uri(id: key.id, label: key.label, given) else {
      throw .unsuitable(reason: "the key has neither a label nor an id")
    }
    return uri
  }

  private func uri(id: [UInt8]?, label: String?, _ given: PKCS11URI) -> PKCS11URI? {
    var uri = PKCS11URI()
    uri.modulePath = module.path
    uri.pinFile = given.pinFile
    uri.token = token.label
    uri.serial = token.serial.isEmpty ? nil : token.serial
    uri.manufacturer = given.manufacturer
    uri.model = given.model
    uri.id = id
    uri.object = label.flatMap { $0.isEmpty ? nil : $0 }
    return uri.id == nil && uri.object == nil ? nil : uri
  }

  /// The public halves on P-256, which are visible without a login; also those in certificates.
  func publicKeys(_ given: PKCS11URI) throws(HardwareKeyFailure) -> [PKCS11Key] {
    var keys: [PKCS11Key] = []
    func add(_ id: [UInt8]?, _ label: String?, _ point: HardwareKeyPoint?, _ mayHaveCopies: Bool) {
      guard let point, let uri = uri(id: id, label: label, given) else { return }
      keys.append(PKCS11Key(uri: uri, point: point, isNew: false, mayHaveCopies: mayHaveCopies))
    }
    for (handle, id, label) in try objects(CKO_PUBLIC_KEY, uriOfOthers(given)) {
      // The private half is not visible without the PIN; the public half was made with it.
      add(id, label, try pointOfPublicKey(handle), try mayHaveCopies(handle))
    }
    for (handle, id, label) in try objects(CKO_CERTIFICATE, uriOfOthers(given)) {
      let point = try value(of: CKA_VALUE, handle).flatMap(P256.certifiedPoint)
      // A certificate's label need not be its key's; the id is.
      let isListed = keys.contains { $0.point == point }
      if !isListed { add(id, id == nil ? label : nil, point, false) }
    }
    return keys
  }

  /// More objects of a kind are none of a person's token.
  private static let maximumObjects = 1024
  /// In bytes; the largest that is read is a certificate.
  private static let maximumValue: CK_ULONG = 65_536

  /// Finds the objects that have these attributes.
  func find(_ template: Template) throws(HardwareKeyFailure) -> [CK_OBJECT_HANDLE] {
    try module.check(
      "C_FindObjectsInit",
      unsafe template.withAttributes { unsafe module.functions.C_FindObjectsInit?(handle, $0, $1) }
    )
    defer { _ = module.functions.C_FindObjectsFinal?(handle) }
    var found: [CK_OBJECT_HANDLE] = []
    while true {
      var part = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
      var count: CK_ULONG = 0
      try module.check(
        "C_FindObjects",
        unsafe module.functions.C_FindObjects?(handle, &part, CK_ULONG(part.count), &count)
      )
      if count == 0 { return found }
      guard count <= part.count else {
        throw .malformedReply(reason: "C_FindObjects wrote more objects than there was room for")
      }
      found += part.prefix(Int(count))
      guard found.count <= Self.maximumObjects else {
        throw .malformedReply(reason: "the token has more than \(Self.maximumObjects) objects")
      }
    }
  }

  /// Reads an attribute; `nil` if the object has none of that type, or does not show it.
  func value(of type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> [UInt8]? {
    guard let length = try length(unsafe read(type, object, into: nil, room: 0)) else { return nil }
    guard length <= Self.maximumValue else { throw .malformedReply(reason: "an attribute of \(length) bytes") }
    var bytes = [UInt8](repeating: 0, count: max(1, length))
    let result = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(type, object, into: $0.baseAddress, room: CK_ULONG($0.count))
    }
    guard let written = try self.length(result) else { return nil }
    guard written <= bytes.count else { throw .malformedReply(reason: "an attribute is longer than it said") }
    return Array(bytes.prefix(written))
  }

  /// - Returns: The call's return value, and the length that it wrote.
  private func read(
    _ type: CK_ATTRIBUTE_TYPE,
    _ object: CK_OBJECT_HANDLE,
    into buffer: UnsafeMutableRawPointer?,
    room: CK_ULONG
  ) -> (CK_RV?, CK_ULONG) {
    var attribute = unsafe CK_ATTRIBUTE(type: type, pValue: buffer, ulValueLen: room)
    let result = unsafe module.functions.C_GetAttributeValue?(handle, object, &attribute, 1)
    return (result, unsafe attribute.ulValueLen)
  }

  /// The length of an attribute; `nil` if there is none.
  private func length(_ read: (CK_RV?, CK_ULONG)) throws(HardwareKeyFailure) -> Int? {
    switch try module.answer("C_GetAttributeValue", read.0) {
    case CKR_ATTRIBUTE_TYPE_INVALID, CKR_ATTRIBUTE_SENSITIVE: return nil
    case let result: try module.check("C_GetAttributeValue", result)
    }
    // CK_UNAVAILABLE_INFORMATION, and other values that are no length.
    return Int(exactly: read.1)
  }

  /// Reads a CK_BBOOL.
  func flag(_ type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> Bool? {
    guard let bytes = try value(of: type, object), !bytes.isEmpty else { return nil }
    guard bytes.count == 1 else { throw .malformedReply(reason: "a yes or no of \(bytes.count) bytes") }
    return bytes[0] != 0
  }

  /// Reads a CK_ULONG.
  func number(_ type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> CK_ULONG? {
    guard let bytes = try value(of: type, object) else { return nil }
    guard bytes.count == MemoryLayout<CK_ULONG>.size else {
      throw .malformedReply(reason: "a number of \(bytes.count) bytes")
    }
    return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: CK_ULONG.self) }
  }

  /// Reads a label; some modules count the zero at its end.
  func label(_ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> String? {
    guard var bytes = try value(of: CKA_LABEL, object) else { return nil }
    while bytes.last == 0 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Attributes for a module: a search, or a new object.
struct Template {
  private var entries: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) { entries.append((type, value)) }

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ isSet: Bool) { add(type, [isSet ? 1 : 0]) }

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ number: CK_ULONG) {
    add(type, unsafe withUnsafeBytes(of: number) { unsafe Array($0) })
  }

  /// Lends the attributes as C takes them.
  func withAttributes<Result>(_ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> Result) -> Result {
    // Each value is aligned as any type of PKCS#11: a module may read it in place.
    let alignment = MemoryLayout<CK_ULONG>.alignment
    let sizes = entries.map { ($0.value.count + alignment - 1) / alignment * alignment }
    let values = UnsafeMutableRawPointer.allocate(byteCount: max(1, sizes.reduce(0, +)), alignment: alignment)
    defer { unsafe values.deallocate() }
    var attributes: [CK_ATTRIBUTE] = unsafe []
    var offset = 0
    for (entry, size) in zip(entries, sizes) {
      let place = unsafe values + offset
      unsafe place.copyMemory(from: entry.value, byteCount: entry.value.count)
      unsafe attributes.append(CK_ATTRIBUTE(type: entry.type, pValue: place, ulValueLen: CK_ULONG(entry.value.count)))
      offset += size
    }
    return unsafe attributes.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress, CK_ULONG($0.count)) }
  }
}
