package import AcctModel
package import AcctPorts

/// Tokens that speak PKCS#11: smart cards, security keys, SoftHSM.
///
/// Only the module that a URI names is loaded, when it is needed. One process at a time uses a
/// token; others wait. A touch is waited for at most 2 minutes.
package struct PKCS11Keys: Sendable {
  /// Takes the key that the URI names, or makes it if there is none.
  ///
  /// Throws ``HardwareKeyFailure/unsuitable(reason:)`` for a key of another curve, one that may also
  /// decrypt, one that can be extracted.
  package var take: @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> PKCS11Key
  /// Signs a SHA-256 digest of 32 bytes; returns r and s, 32 bytes each.
  package var sign: @Sendable (PKCS11URI, _ digest: [UInt8], KeyHolder) async throws(HardwareKeyFailure) -> [UInt8]
  /// Reads the one certificate that the URI names, in DER.
  package var certificate: @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> [UInt8]
  /// Removes both halves of the key from the token; a key that is not there is no error.
  package var remove: @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> Void
  /// Lists the tokens, and their public keys for ES256.
  ///
  /// Those of the URI, else of every module that is configured on this machine; a module that fails
  /// is among the answers. Waits for other processes briefly.
  package var list: @Sendable (PKCS11URI?) async -> [PKCS11Slot]

  package init(
    take: @escaping @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> PKCS11Key,
    sign:
      @escaping @Sendable (PKCS11URI, _ digest: [UInt8], KeyHolder)
      async
      throws(HardwareKeyFailure) -> [UInt8],
    certificate: @escaping @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> [UInt8],
    remove: @escaping @Sendable (PKCS11URI, KeyHolder) async throws(HardwareKeyFailure) -> Void,
    list: @escaping @Sendable (PKCS11URI?) async -> [PKCS11Slot]
  ) {
    self.take = take
    self.sign = sign
    self.certificate = certificate
    self.remove = remove
    self.list = list
  }

  /// A machine without tokens.
  package static let none = PKCS11Keys(
    take: { _, _ throws(HardwareKeyFailure) in throw absent },
    sign: { _, _, _ throws(HardwareKeyFailure) in throw absent },
    certificate: { _, _ throws(HardwareKeyFailure) in throw absent },
    remove: { _, _ throws(HardwareKeyFailure) in throw absent },
    list: { _ in [] }
  )

  private static let absent = HardwareKeyFailure.absent(reason: "there is no such token")
}

/// A key in a token.
package struct PKCS11Key: Hashable, Sendable {
  /// Names exactly this object: module, token by label and serial number, object and id.
  package var uri: PKCS11URI
  package var point: HardwareKeyPoint
  /// `true` if this call made it.
  ///
  /// A new key is removed again if the sign-in fails, and with its account; a key that was there before stays.
  package var isNew: Bool
  /// `true` if the token reports that the key was made elsewhere, or was not always protected as it is now.
  ///
  /// It can no longer be copied, but may have been copied before.
  package var mayHaveCopies: Bool

  package init(uri: PKCS11URI, point: HardwareKeyPoint, isNew: Bool, mayHaveCopies: Bool = false) {
    self.uri = uri
    self.point = point
    self.isNew = isNew
    self.mayHaveCopies = mayHaveCopies
  }
}

/// A token that was found, or a module that failed.
package struct PKCS11Slot: Equatable, Sendable {
  /// The module's path.
  package var module: String
  /// The token's label and manufacturer, made printable; `nil` where the module failed.
  package var token: String?
  /// The number that its maker gave it, made printable; `nil` where it has none.
  package var serial: String?
  package var failure: HardwareKeyFailure?
  /// The keys that could be an account's.
  package var keys: [PKCS11Key]

  package init(
    module: String,
    token: String? = nil,
    serial: String? = nil,
    failure: HardwareKeyFailure? = nil,
    keys: [PKCS11Key] = []
  ) {
    self.module = module
    self.token = token
    self.serial = serial
    self.failure = failure
    self.keys = keys
  }
}
