import AcctModel
import AcctPorts
import KeyDevices
import CPKCS11

extension Session {
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
}
