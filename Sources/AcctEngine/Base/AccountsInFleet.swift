package import AcctModel
package import AcctPorts

/// The keyring that this machine shares with others, as a whole, for the lifetime of a command.
///
/// The core knows its accounts by ``Keyring/accounts``. How machines share a keyring, and who they are, is not the core's.
package protocol AccountsInFleet: AnyObject, Sendable {
  /// The item of this machine's own key in its vault or desktop's keyring, which belongs to no account; `nil` if it has
  /// none.
  func ownItem() -> AccountID?

  /// The number of servers' answers that wait on this machine for the engine; 0 also if that can't be read.
  func waitingAnswers() -> Int

  /// Completes what is known of the keyring in use by the report of the shared one's engine; prompts for nothing.
  ///
  /// - Throws: ``EngineError`` if this machine's files can't be read.
  func complete(_ standing: inout KeyringStanding, _ context: EngineContext) throws(EngineError)
}

/// Whether the keyring in use can be used now.
package struct KeyringStanding: Sendable {
  /// The keyring in use; `nil` if none was chosen yet.
  package let kind: Keyring.Kind?
  package var state: Keyring.State?
  /// Why it, or the keyring that this machine shares, can't be used now.
  @Boxed package var cause: EngineError? = nil
}
