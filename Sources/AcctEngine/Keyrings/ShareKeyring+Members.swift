package import AcctModel
package import AcctPorts

/// The members of the keyring that this machine shares, and the change of its key.
extension ShareKeyring {
  /// Joins a keyring by what this machine has; else by a code that a member approves.
  ///
  /// - Parameters:
  ///   - settings: The keyring.
  ///   - offer: Tells a person who is about to be asked for the passphrase that there is a code for who enters none.
  ///   - announce: Gets the code.
  /// - Returns: As ``begin(_:_:)``.
  /// - Throws: ``EngineError``; ``KeyringFailure/locked(reason:)`` where no one may be asked, and nothing was given.
  package func join(
    _ settings: SharedKeyringSettings,
    offer: () -> Void,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(EngineError) -> Outcome {
    try requireNoOther(settings)
    let means: JoiningMeans
    do { means = try context.world.sharedKeyring.membership.means(settings) } catch {
      // What is wrong with the engine, or with its keyring, is said as it is where no code is asked for.
      return try await begin(settings, .join)
    }
    guard means != .given, context.interaction == .allowed else { return try await begin(settings, .join) }
    guard means == .passphrase, context.world.terminal.canAsk() else {
      return try await request(settings, keyIn: nil, announce)
    }
    offer()
    do throws(EngineError) { return try await begin(settings, .join) } catch .keyring(.failed(.noPassphrase, _)) {
      return try await request(settings, keyIn: nil, announce)
    }
  }

  /// Joins a keyring by a code that a member approves, and waits until then.
  ///
  /// - Parameters:
  ///   - settings: The keyring.
  ///   - tpm: The TPM in which the machine's key is made; `nil` for the machine's own keyring.
  ///   - announce: Gets the code.
  /// - Returns: As ``begin(_:_:)``.
  /// - Throws: ``EngineError``; nothing of the keyring stays on this machine then.
  package func request(
    _ settings: SharedKeyringSettings,
    keyIn tpm: TPMAddress?,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(EngineError) -> Outcome {
    try requireNoOther(settings)
    let membership = context.world.sharedKeyring.membership
    do { try await membership.request(settings, tpm, context.interaction, announce) } catch {
      throw .sharing(.members(error, settings.kind))
    }
    return try await entered(settings)
  }

  /// Makes the machine that waits with a code a member; returns its name.
  package func approve(_ code: String) throws(EngineError) -> String {
    try members { membership throws(SharedMembershipFailure) in try membership.approve(code, context.interaction) }
  }

  /// The machines that share the keyring, and all that opens it.
  package func members() throws(EngineError) -> SharedMembers {
    try members { membership throws(SharedMembershipFailure) in try membership.members(context.interaction) }
  }

  /// Changes the keyring's key.
  package func rekey(_ change: Rekeying) throws(EngineError) -> Rekeyed {
    try members { membership throws(SharedMembershipFailure) in try membership.rekey(change, context.interaction) }
  }

  private func members<Value>(
    _ body: (SharedMembership) throws(SharedMembershipFailure) -> Value
  ) throws(EngineError) -> Value {
    let kind = (try? context.world.sharedKeyring.settings())?.kind ?? .etcd
    do { return try body(context.world.sharedKeyring.membership) } catch { throw .sharing(.members(error, kind)) }
  }
}
