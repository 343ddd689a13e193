import AcctCrypto
import Secrets
import Vault
import Text

/// The keys of the epochs before: each is sealed under the one after it, so that the latest one leads to all of them.
extension KeyringHeader {
  /// The key of an epoch.
  ///
  /// - Parameters:
  ///   - epoch: The number of the key.
  ///   - latest: The key of this header.
  /// - Returns: `nil` for one that the chain does not reach, or that was not sealed under the next.
  func key(of epoch: Int64, from latest: EpochKey) -> EpochKey? {
    guard (1...latest.epoch).contains(epoch), latest.epoch - epoch <= Int64(chain.count) else { return nil }
    var key = latest
    for link in chain.prefix(Int(latest.epoch - epoch)) {
      guard
        let former = try? AESGCM.open(
          link,
          key: Self.derived("chain", key),
          nonce: Self.onlyNonce,
          associatedData: linkData(key.epoch)
        ), former.count == AESGCM.keyCount
      else { return nil }
      key = EpochKey(epoch: key.epoch - 1, key: former)
    }
    return key
  }

  /// Seals the key of the epoch before under a new one.
  func link(to former: EpochKey, under key: EpochKey) throws(CryptoError) -> [UInt8] {
    try AESGCM.seal(
      former.key,
      key: Self.derived("chain", key),
      nonce: Self.onlyNonce,
      associatedData: linkData(key.epoch)
    )
  }

  /// A key that is derived for one message alone takes any nonce.
  private static let onlyNonce = [UInt8](repeating: 0, count: AESGCM.nonceCount)

  private func linkData(_ epoch: Int64) -> [UInt8] { Array("acct keyring 3 chain \(hex(keyring)) \(epoch)".utf8) }
}
