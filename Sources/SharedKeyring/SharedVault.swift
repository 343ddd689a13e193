package import AcctPorts

/// A keyring that several machines share: ciphertext on an engine, and a copy of it on this machine.
package final class SharedVault: Sendable {
  package init() {}

  /// The keyring, and what is done with it as a whole.
  package var sharedKeyring: SharedKeyring { .none }

  /// Wipes the key in this process, and ends the connection.
  package func end() {}
}
