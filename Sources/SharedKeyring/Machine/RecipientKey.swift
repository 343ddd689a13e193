import AcctCrypto
import Secrets
import AcctPorts
import Vault

/// The private key of a recipient, as far as its messages need it: it may be in a device, which is asked for each one.
struct RecipientKey: Sendable {
  let publicKey: P256PublicKey
  /// Computes what the key and another's public one have in common: the x coordinate, 32 bytes.
  let agreement: @Sendable (P256PublicKey) throws(KeyringFailure) -> Secret
  /// Signs for this machine: ECDSA with SHA-256; `nil` for a key in a TPM, which agrees and does nothing else.
  let sign: (@Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8])?

  init(
    _ publicKey: P256PublicKey,
    sign: (@Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8])? = nil,
    agreement: @escaping @Sendable (P256PublicKey) throws(KeyringFailure) -> Secret
  ) {
    self.publicKey = publicKey
    self.sign = sign
    self.agreement = agreement
  }

  init(_ key: P256PrivateKey) {
    self.init(
      key.publicKey,
      sign: { message throws(KeyringFailure) in
        do throws(CryptoError) { return try key.sign(message.span) } catch { throw KeyringFailure(error) }
      },
      agreement: { other throws(KeyringFailure) in
        do throws(CryptoError) { return try key.agreement(with: other) } catch { throw KeyringFailure(error) }
      }
    )
  }

  /// Opens a message; `nil` for one to another key, or one that was modified.
  ///
  /// - Throws: ``KeyringFailure`` if the key can't be used now.
  func open(_ message: HPKE.Message, info: [UInt8]) throws(KeyringFailure) -> Secret? {
    guard let sender = try? HPKE.sender(of: message.encapsulated) else { return nil }
    let agreed = try agreement(sender)
    return try? HPKE.open(message, to: publicKey, agreed: agreed, info: info)
  }
}
