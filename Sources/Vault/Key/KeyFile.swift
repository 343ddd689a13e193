import AcctCrypto
package import Secrets
package import AcctPorts
import Glibc
import PrivateFiles

/// A file that is a vault's key: exactly 32 bytes, the user's own, and readable by no one else.
///
/// It takes the place of a passphrase where machines are set up by a program: nothing is derived or prompted for.
package struct KeyFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The file that the environment names with `ACCT_VAULT_KEY_FILE`, if it names one.
  package init?(_ environment: ProcessEnvironment) {
    guard let path = environment.variable("ACCT_VAULT_KEY_FILE") else { return nil }
    self.path = path
  }

  /// Reads the key.
  ///
  /// - Throws: ``KeyringFailure/locked(reason:openedBy:)``, with the problem of the file.
  package func key() throws(KeyringFailure) -> Secret {
    do throws(FileError) {
      var bytes = try Descriptor.trustedBytes(path, .secret, limit: 4096)
      let key = Secret(consuming: &bytes)
      guard key.count == AESGCM.keyCount else {
        throw .distrusted(reason: "a key has \(AESGCM.keyCount) bytes, this file \(key.count)")
      }
      return key
    } catch {
      let reason = error == .notThere ? "there is no such file" : error.reason
      throw .locked(reason: "\(path): \(reason)", openedBy: .file(path))
    }
  }
}
