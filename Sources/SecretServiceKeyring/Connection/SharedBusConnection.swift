import AcctPorts
import SessionBus
import Synchronization

/// The one connection to the session bus that a process keeps, lent to one operation at a time.
///
/// For a command that reads once it makes no difference. But a process that serves for days, such as
/// the proxy, would connect anew for every request, and each new connection is one more chance for
/// GNOME Keyring to fall over it (see ``Connection/introduce()``). It handles one call at a time as
/// well, so nothing is lost by taking turns, and a burst of requests is a queue here instead of a
/// crowd there.
///
/// It keeps the way to the keyring, and nothing that came over it: every operation asks who the provider is, and
/// reads anew. ``mark()`` tells whether another read is needed, since the provider's announcements come the same way.
final class SharedBusConnection: Sendable {
  private let lock = AsyncLock()
  /// Locked by the operation whose turn it is, for which no thread ever waits.
  private let kept = Mutex<PlainChannel?>(nil)
  /// `true` if announcements of providers are of interest.
  private let listens = Atomic(false)

  /// A mark that is another one after a provider has announced a change; `nil` where none can be relied on.
  ///
  /// The first call lets the operations after it listen. During an operation there is no mark: a caller of this waits
  /// for no operation.
  func mark() -> ChangeMark? {
    listens.store(true, ordering: .relaxed)
    let mark: ChangeMark?? = kept.withLockIfAvailable { kept in
      do throws(KeyringFailure) { return try kept?.mark() } catch {
        // The bus has hung up: the next operation connects anew.
        kept = nil
        return nil
      }
    }
    return mark ?? nil
  }

  /// Does something over the connection, when it is its turn.
  ///
  /// The bus may have ended a kept connection, or the provider its session, since the last use. An
  /// operation that fails in a way that may be due to that is repeated over a new connection from
  /// the beginning: until then it has done nothing that it would not do again.
  ///
  /// - Parameters:
  ///   - address: The bus to connect to, if need be.
  ///   - end: The deadline, which includes the wait for the turn. Earlier operations are done first.
  ///   - body: The operation.
  /// - Returns: What `body` returns.
  /// - Throws: `KeyringFailure.unavailable` or `timedOut` if the bus cannot be reached, and the failure of `body`.
  func use(
    to address: BusAddress,
    until end: ContinuousClock.Instant,
    _ body: @Sendable (PlainChannel) throws(KeyringFailure) -> ServiceAnswer?
  ) async throws(KeyringFailure) -> ServiceAnswer? {
    await lock.enter()
    defer { lock.leave() }
    return try kept.withLock { kept throws(KeyringFailure) in
      if let channel = kept.take() {
        channel.bus.extend(until: end)
        do throws(KeyringFailure) { return try use(channel, keepingIn: &kept, body) } catch {
          guard channel.hasEnded || error.isAnError else { throw error }
        }
      }
      return try use(try PlainChannel(to: address, until: end), keepingIn: &kept, body)
    }
  }

  private func use(
    _ channel: PlainChannel,
    keepingIn kept: inout PlainChannel?,
    _ body: @Sendable (PlainChannel) throws(KeyringFailure) -> ServiceAnswer?
  ) throws(KeyringFailure) -> ServiceAnswer? {
    do throws(KeyringFailure) {
      if listens.load(ordering: .relaxed) { try channel.listen() }
      let result = try body(channel)
      if channel.isReusable { kept = channel }
      return result
    } catch {
      if channel.isReusable, !error.isAnError { kept = channel }
      throw error
    }
  }
}

extension KeyringFailure {
  /// `true` for an error of the provider's own, such as that it knows no such session.
  fileprivate var isAnError: Bool { if case .failed = self { true } else { false } }
}
