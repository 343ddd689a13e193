/// What only the vault has: a passphrase that can be given, forgotten and changed.
package struct Vault: Sendable {
  /// Whether it exists.
  package var isThere: @Sendable () throws(KeyringFailure) -> Bool
  /// Unwraps the vault key and stores it in the kernel for a while.
  ///
  /// Returns for how many seconds it stays there, or `nil` if the kernel rejects it.
  package var unlock: @Sendable (Interaction) async throws(KeyringFailure) -> Int?
  /// Forgets the vault key.
  package var lock: @Sendable () async throws(KeyringFailure) -> Void
  /// Wraps the vault key with a new passphrase; the items stay as they are.
  ///
  /// The new passphrase is read from a file that the user names, else asked for.
  package var changePassphrase:
    @Sendable (_ newPassphraseFile: String?, Interaction) async throws(KeyringFailure) -> Void

  package init(
    isThere: @escaping @Sendable () throws(KeyringFailure) -> Bool,
    unlock: @escaping @Sendable (Interaction) async throws(KeyringFailure) -> Int?,
    lock: @escaping @Sendable () async throws(KeyringFailure) -> Void,
    changePassphrase:
      @escaping @Sendable (_ newPassphraseFile: String?, Interaction) async throws(KeyringFailure)
      -> Void
  ) {
    self.isThere = isThere
    self.unlock = unlock
    self.lock = lock
    self.changePassphrase = changePassphrase
  }
}
