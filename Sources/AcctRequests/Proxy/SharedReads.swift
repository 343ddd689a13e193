import AcctModel
import Secrets
import AcctPorts

extension Keyring {
  /// Returns a keyring that reads once for all callers that want the same items at the same time.
  ///
  /// A conversation with a desktop's keyring takes milliseconds, and it holds one at a time: fifty clients of the
  /// proxy would wait for fifty. Nothing is cached beyond that: the next caller notices a keyring that was locked.
  func sharingReads() -> Keyring {
    // Behind a keyring that does not answer, no request waits longer than one deadline.
    let readings = Coalescer<Reading, Result<[ItemKind: Secret], KeyringFailure>> { reading in
      if case .failure(.timedOut) = reading { true } else { false }
    }
    var shared = self
    let read = self.read
    shared.read = { account, kinds, interaction throws(KeyringFailure) in
      let reading = Reading(account: account, kinds: kinds, mayAsk: interaction == .allowed)
      return try await readings.join(reading) {
        do throws(KeyringFailure) {
          return .success(try await read(account, kinds, interaction))
        } catch {
          return .failure(error)
        }
      }.get()
    }
    return shared
  }
}

/// The items of one account that are read together.
private struct Reading: Hashable {
  var account: AccountID
  var kinds: [ItemKind]
  var mayAsk: Bool
}
