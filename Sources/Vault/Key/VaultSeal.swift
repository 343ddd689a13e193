import AcctCrypto
package import AcctModel
package import Secrets

/// The second wrap of a vault key: an object that only one TPM opens, and that has no PIN.
///
/// The sealed data are the vault key itself, so a new passphrase leaves the object as it is. A check value under the
/// vault key binds the object to the header around it: another vault's object, and an older header's passphrase
/// beside this object, are both noticed.
package struct VaultSeal: Equatable, Sendable {
  /// The address of the TPM that made it.
  let address: TPMAddress
  /// The object as the TPM gave it; no secret beside another TPM.
  package let blob: [UInt8]
  /// HMAC-SHA256 of the whole header under a key derived of the vault's, cut to 16 bytes.
  let check: [UInt8]

  static let checkCount = 16
  /// In bytes; an object of 32 bytes under an elliptic curve has about 300.
  static let blobLimit = 1024
  /// In bytes.
  static let addressLimit = 256

  /// `true` if they fit into a header.
  static func fits(_ blob: [UInt8], _ address: TPMAddress) -> Bool {
    (1...blobLimit).contains(blob.count) && address.description.utf8.count <= addressLimit
  }

  /// The bytes that the fingerprint of a sealed header covers beside the rest.
  var fingerprinted: [UInt8] { Self.covered(address, blob) + check }

  fileprivate static func covered(_ address: TPMAddress, _ blob: [UInt8]) -> [UInt8] {
    // The object's length ends what could be read as part of it.
    Array(" seal \(blob.count) \(address.description) ".utf8) + blob
  }
}

extension VaultHeader {
  /// This header with a second wrap, or with another one in its place.
  ///
  /// - Parameters:
  ///   - key: The vault key, which `blob` holds.
  ///   - blob: The object that the TPM made of it.
  ///   - address: The address of that TPM.
  /// - Returns: The new header.
  package func sealed(_ key: Secret, as blob: [UInt8], by address: TPMAddress) -> VaultHeader {
    with(VaultSeal(address: address, blob: blob, check: check(key, address, blob)))
  }

  /// This header without a second wrap.
  var unsealed: VaultHeader { with(nil) }

  /// `true` if its second wrap, if it has one, was made for this header and this vault key.
  func isSealIntact(_ key: Secret) -> Bool {
    guard let seal else { return true }
    return ConstantTime.equal(check(key, seal.address, seal.blob).span, seal.check.span)
  }

  private func check(_ key: Secret, _ address: TPMAddress, _ blob: [UInt8]) -> [UInt8] {
    let checking = HMACSHA256.derivedKey("acct vault header \(Self.sealedVersion) seal", from: key)
    let covered = associatedData + nonce + wrappedKey + VaultSeal.covered(address, blob)
    return Array(HMACSHA256.code(covered.span, key: checking).prefix(VaultSeal.checkCount))
  }
}
