import AcctModel
import AcctPorts
import KeyDevices
import CPKCS11

extension Session {
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
}
