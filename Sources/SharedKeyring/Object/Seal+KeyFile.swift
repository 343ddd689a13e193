package import AcctCrypto
package import Secrets
package import AcctPorts
import Vault

extension Seal {
  /// The seal that a key file opens a header to, without asking an engine; `nil` if it does not open.
  ///
  /// - Parameters:
  ///   - header: The header as it lies on the engine, of either form.
  ///   - keyFile: The contents of the key file.
  ///   - entropy: For nonces.
  ///   - check: The rules for the contents of objects.
  package init?(header: [UInt8], keyFile: Secret, entropy: Entropy, check: @escaping SharedCheck) {
    switch try? SharedHeader(parsing: header) {
    case .former(.keyFile(let header)) where header.isOf(keyFile):
      self.init(key: keyFile, entropy: entropy, check: check)
    case .epochs:
      guard let key = try? KeyringHeader.key(ofFile: keyFile) else { return nil }
      self.init(header: header, machine: key, entropy: entropy, check: check)
    case .former, nil: return nil
    }
  }

  /// The seal that a machine's private key opens a header to.
  package init?(header: [UInt8], machine: P256PrivateKey, entropy: Entropy, check: @escaping SharedCheck) {
    guard let header = try? KeyringHeader(parsing: header), let key = header.key(openedBy: machine) else { return nil }
    self.init(EpochKeys(EpochKeys.Opened(current: key, header: header)), entropy, check: check)
  }

  /// The contents of an object, which are not checked.
  package func contents(_ bytes: [UInt8], at place: String) throws(Unopened) -> SharedObject {
    let (plaintext, epoch) = try opened(bytes, at: place)
    do { return try SharedObject(parsing: plaintext, epoch: epoch) } catch { throw .damaged(error) }
  }
}

extension KeyringHeader {
  /// The epoch's key, as a recipient's private key opens it; `nil` if it does not.
  package func key(openedBy recipient: P256PrivateKey) -> EpochKey? { try? key(by: RecipientKey(recipient)) }
}
