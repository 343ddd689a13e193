import AcctModel
package import AcctPorts
package import Testing

extension Keyring {
  /// A keyring that fails the test when touched.
  package static func unexpected(_ name: String, at location: SourceLocation) -> Keyring {
    let fail: @Sendable (String) -> KeyringFailure = { operation in
      Issue.record("\(name) was not expected to \(operation)", sourceLocation: location)
      return .unavailable(reason: "not provided")
    }
    return Keyring(
      kind: .vault,
      read: { _, _, _ throws(KeyringFailure) in throw fail("read") },
      write: { _, _, _ throws(KeyringFailure) in throw fail("write") },
      remove: { _, _, _ throws(KeyringFailure) in throw fail("remove") },
      list: { () throws(KeyringFailure) in throw fail("list") },
      prepare: { _ throws(KeyringFailure) in throw fail("prepare") },
      state: {
        _ = fail("tell its state")
        return .unavailable
      }
    )
  }
}

extension Vault {
  /// A vault that fails the test when touched.
  package static func unexpected(at location: SourceLocation) -> Vault {
    let fail: @Sendable () -> KeyringFailure = {
      Issue.record("the vault was not expected to be used", sourceLocation: location)
      return .unavailable(reason: "not provided")
    }
    return Vault(
      isThere: { () throws(KeyringFailure) in throw fail() },
      unlock: { _ throws(KeyringFailure) in throw fail() },
      lock: { () throws(KeyringFailure) in throw fail() },
      changePassphrase: { _, _ throws(KeyringFailure) in throw fail() },
      reset: { () throws(KeyringFailure) in throw fail() },
      seal: { _, _ throws(VaultSealFailure) in throw .vault(fail()) },
      unseal: { _ throws(KeyringFailure) in throw fail() },
      sealedIn: { () throws(KeyringFailure) in throw fail() },
      checkSeal: { () throws(KeyringFailure) in throw fail() }
    )
  }
}
