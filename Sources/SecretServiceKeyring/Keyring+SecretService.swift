import AcctModel
package import AcctPorts
import PrivateFiles
import Secrets
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
          .items(try operation.read(account, kinds))
        }.items
      },
      write: { account, items, interaction throws(KeyringFailure) in
        _ = try await provider.perform(interaction) { operation throws(KeyringFailure) in
          .done(try operation.write(account, items))
        }
      },
      remove: { account, kinds, interaction throws(KeyringFailure) in
        _ = try await provider.perform(interaction) { operation throws(KeyringFailure) in
          .done(try operation.remove(account, kinds))
        }
      },
      list: { () throws(KeyringFailure) in
        try await provider.perform(.forbidden) { operation throws(KeyringFailure) in
          .accounts(try operation.list())
        }.accounts
      },
      prepare: { interaction throws(KeyringFailure) in
        _ = try await provider.perform(interaction) { operation throws(KeyringFailure) in
          _ = try operation.openDefaultCollection()
          return .done(())
        }
      },
      state: {
        do throws(KeyringFailure) {
          return try await provider.perform(.forbidden) { operation throws(KeyringFailure) in
            .state(try operation.state())
          }.state
        } catch {
          return .unavailable
        }
      },
      changes: { provider.connection.mark() }
    )
    keyring.lock = { () throws(KeyringFailure) in
      _ = try await provider.perform(.allowed) { operation throws(KeyringFailure) in .done(try operation.lock()) }
    }
    keyring.lockedParts = { accounts throws(KeyringFailure) in
      try await provider.perform(.forbidden) { operation throws(KeyringFailure) in
        .parts(try operation.lockedParts(of: accounts))
      }.parts
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
  func perform(
    _ interaction: Interaction,
    _ body: @escaping @Sendable (ServiceOperation) throws(KeyringFailure) -> ServiceAnswer
  ) async throws(KeyringFailure) -> ServiceAnswer {
    let end = ContinuousClock.now + deadline
    let address: BusAddress
    do { address = try BusAddress(given: busAddress) } catch { throw KeyringFailure(error) }
    let mayAsk = canPrompt && interaction == .allowed
    // Without a person this takes milliseconds, and at worst the deadline: not worth a thread.
    let answer = try await connection.use(to: address, until: end) {
      (channel) throws(KeyringFailure) in
      let operation = try ServiceOperation(over: channel, prompter: mayAsk ? nil : channel, isAsking: false)
      channel.announcesLocks = !operation.connection.mayAskToSearch
      do throws(KeyringFailure) { return try body(operation) } catch {
        guard operation.lacksPerson, mayAsk else { throw canPrompt ? error : error.withoutDesktop }
        return nil
      }
    }
    if let answer { return answer }
    let asked = whileAsking()
    defer { asked() }
    return try await onDedicatedThread(orThrow: .failed(reason: "no thread could be started")) {
      () throws(KeyringFailure) in
      let libsecret = try LibsecretChannel(to: address, time: deadline)
      return try body(try ServiceOperation(over: libsecret, prompter: libsecret, isAsking: true))
    }
  }
}

/// The answer of an operation: one type for all, so that the compiler makes the way to the keyring once.
enum ServiceAnswer: Sendable {
  case done(Void)
  case items([ItemKind: Secret])
  case accounts([AccountID: Set<ItemKind>])
  case state(Keyring.State)
  case parts([Keyring.LockedPart])

  var items: [ItemKind: Secret] { if case .items(let items) = self { items } else { [:] } }
  var accounts: [AccountID: Set<ItemKind>] { if case .accounts(let accounts) = self { accounts } else { [:] } }
  var state: Keyring.State { if case .state(let state) = self { state } else { .unavailable } }
  var parts: [Keyring.LockedPart] { if case .parts(let parts) = self { parts } else { [] } }
}
