import AcctCrypto
import Secrets
import AcctPorts
import Vault

/// An empty vault whose passphrase costs next to nothing to try.
///
/// The header of a vault says what its passphrase costs, and acct derives the key as the header says. A
/// vault that acct makes costs a third of a second of a processor, in every home of every test.
package enum CheapVault {
  /// The contents of a new vault's `header` file, unlike those of every other vault; a shared keyring of the former
  /// form has the same header.
  ///
  /// - Throws: ``ProcessFailure`` if the cryptographic library fails.
  package static func header(under passphrase: String) throws(ProcessFailure) -> [UInt8] {
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    guard let cost = KDFParameters(n: 16, r: 1, p: 1) else {
      throw .notReady(program: "a cheap vault", output: "scrypt does not take its parameters")
    }
    do {
      return try VaultHeader(
        wrapping: Secret(entropy.bytes(AESGCM.keyCount)),
        by: Secret(Array(passphrase.utf8)),
        kdf: cost,
        entropy: entropy
      ).serialized()
    } catch {
      throw .notReady(program: "a cheap vault", output: "\(error)")
    }
  }
}
