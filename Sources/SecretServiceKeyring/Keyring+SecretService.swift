import AcctModel
package import AcctPorts
import PrivateFiles
import SessionBus

extension Keyring {
  /// Returns the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, over the Secret Service.
  ///
  /// Nothing is looked for or connected to before the first call. From one call to the next it keeps the connection,
  /// and with it the session, never the data that came over them.
  ///
  /// - Parameters:
  ///   - busAddress: the D-Bus address of the session bus; `nil` takes the environment's.
  ///   - canPrompt: whether there is a desktop that a prompt could be shown on; without one,
  ///     `Interaction.allowed` shows no prompt either.
  ///   - deadline: how long one call may take, apart from the 2 minutes that a person gets.
  ///   - whileAsking: called before a person is asked; returns a function that is called afterwards.
  /// - Returns: the keyring.
  package static func secretService(
    busAddress: String? = nil,
    canPrompt: Bool,
    deadline: Duration = .seconds(5),
    whileAsking: @escaping @Sendable () -> @Sendable () -> Void = { {} }
  ) -> Keyring {
    let provider = Provider(
      busAddress: busAddress,
      canPrompt: canPrompt,
      deadline: deadline,
      whileAsking: whileAsking
    )
    var keyring = Keyring(
      kind: .secretService,
      read: { account, kinds, interaction throws(KeyringFailure) in
        try await provider.perform(interaction) { operation throws(KeyringFailure) in
          try operation.read(account, kinds)
        }
      },
      write: { account, items, interaction throws(KeyringFailure) in
        try await provider.perform(interaction) { operation throws(KeyringFailure) in
          try operation.write(account, items)
        }
      },
      remove: { account, kinds, interaction throws(KeyringFailure) in
        try await provider.perform(interaction) { operation throws(KeyringFailure) in
          try operation.remove(account, kinds)
        }
      },
      list: { () throws(KeyringFailure) in
        try await provider.perform(.forbidden) { operation throws(KeyringFailure) in try operation.list() }
      },
      prepare: { interaction throws(KeyringFailure) in
        try await provider.perform(interaction) { operation throws(KeyringFailure) in
          _ = try operation.openDefaultCollection()
        }
      },
      state: {
        do throws(KeyringFailure) {
          return try await provider.perform(.forbidden) { operation throws(KeyringFailure) in try operation.state() }
        } catch {
          return .unavailable
        }
      },
      changes: { provider.connection.mark() }
    )
    keyring.lock = { () throws(KeyringFailure) in
      try await provider.perform(.allowed) { operation throws(KeyringFailure) in try operation.lock() }
    }
    keyring.lockedParts = { accounts throws(KeyringFailure) in
      try await provider.perform(.forbidden) { operation throws(KeyringFailure) in
        try operation.lockedParts(of: accounts)
      }
    }
    return keyring
  }
}

/// The settings for connections to the provider of this session.
private struct Provider: Sendable {
  let busAddress: String?
  let canPrompt: Bool
  let deadline: Duration
  let whileAsking: @Sendable () -> @Sendable () -> Void
  let connection = SharedBusConnection()

  /// Performs an operation, within one deadline for all of it.
  ///
  /// If a person has to be asked, and may be, it starts over through libsecret: a prompt belongs to
  /// the connection that it was made for, and until then no operation has done anything that it
  /// would not do again.
  ///
  /// - Throws: `KeyringFailure.unavailable` or `timedOut` if the bus cannot be reached, and the failure of `body`.
  func perform<Result: Sendable>(
    _ interaction: Interaction,
    _ body: @escaping @Sendable (ServiceOperation) throws(KeyringFailure) -> Result
  ) async throws(KeyringFailure) -> Result {
    let end = ContinuousClock.now + deadline
    let address: BusAddress
    do { address = try BusAddress(given: busAddress) } catch { throw KeyringFailure(error) }
    let mayAsk = canPrompt && interaction == .allowed
    // Without a person this takes milliseconds, and at worst the deadline: not worth a thread.
    let result: Result? = try await connection.use(to: address, until: end) {
      (channel) throws(KeyringFailure) in
      let operation = try ServiceOperation(over: channel, prompter: mayAsk ? nil : channel, isAsking: false)
      channel.announcesLocks = !operation.connection.mayAskToSearch
      do throws(KeyringFailure) { return try body(operation) } catch {
        guard operation.lacksPerson, mayAsk else { throw canPrompt ? error : error.withoutDesktop }
        return nil
      }
    }
    if let result { return result }
    let asked = whileAsking()
    defer { asked() }
    return try await onDedicatedThread(orThrow: .failed(reason: "no thread could be started")) {
      () throws(KeyringFailure) in
      let libsecret = try LibsecretChannel(to: address, time: deadline)
      return try body(try ServiceOperation(over: libsecret, prompter: libsecret, isAsking: true))
    }
  }
}
