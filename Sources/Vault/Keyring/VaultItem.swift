package import AcctCrypto
package import Secrets
import AcctPorts

/// The file of one item: its format, a nonce, and the sealed secret.
///
/// The item's key and the format version are associated data: a file that is renamed, or exchanged
/// for another account's, does not open. An older file of the same item does; an attacker that can
/// write to the folder could as well have prevented the newer one.
package enum VaultItem {
  private static let magic = Array("acct-item".utf8)
  private static let version: UInt8 = 1
  private static let nonceStart = magic.count + 1
  private static let sealedStart = nonceStart + AESGCM.nonceCount

  /// The most bytes that a file may have; a secret is a token or a key, of a few thousand at most.
  static let sizeLimit = 1 << 20

  /// Why an item does not open.
  package enum Unopened: Error {
    case damaged(Damage)
    /// Nothing is known against the file.
    case libraryFailed(CryptoError)
  }

  /// Encrypts a secret as the contents of the file for `key`.
  ///
  /// - Throws: ``CryptoError``; ``CryptoError/wrongLength`` for a secret that the file cannot hold.
  static func seal(_ secret: Secret, key: String, vaultKey: Secret, entropy: Entropy) throws(CryptoError) -> [UInt8] {
    guard secret.count <= sizeLimit - sealedStart - AESGCM.tagCount else { throw .wrongLength }
    // Random nonces of 96 bits are safe for 2^32 writes with one key (NIST SP 800-38D, section
    // 8.3); a vault that is written to every second gets there in 136 years.
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(secret, key: vaultKey, nonce: nonce, associatedData: associatedData(key))
    return magic + [version] + nonce + sealed
  }

  /// Decrypts the contents of the file for `key`.
  package static func open(_ contents: [UInt8], key: String, vaultKey: Secret) throws(Unopened) -> Secret {
    guard contents.count >= sealedStart + AESGCM.tagCount, contents.starts(with: magic) else {
      throw .damaged(Damage(reason: "\(key) is not an item of acct's"))
    }
    guard contents[magic.count] == version else {
      let isNewer = contents[magic.count] > version
      throw .damaged(isNewer ? .newer : Damage(reason: "\(key) is of a kind that this version of acct does not know"))
    }
    do {
      return try AESGCM.open(
        Array(contents[sealedStart...]),
        key: vaultKey,
        nonce: Array(contents[nonceStart..<sealedStart]),
        associatedData: associatedData(key)
      )
    } catch {
      guard error == .authenticationFailed else { throw .libraryFailed(error) }
      throw .damaged(Damage(reason: "\(key) was modified"))
    }
  }

  private static func associatedData(_ key: String) -> [UInt8] { magic + [version] + Array(key.utf8) }
}
