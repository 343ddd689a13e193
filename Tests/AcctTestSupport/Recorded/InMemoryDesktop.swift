import Secrets
package import AcctPorts
import Synchronization
package import Testing

/// A desktop in memory, which opens the addresses that a test gives it as soon as acct is the
/// handler of their scheme.
///
/// Without any, registering a scheme fails the test.
package final class InMemoryDesktop: Sendable {
  private struct State {
    var addresses: [String] = []
    var answers: [CallbackPage] = []
    var registered: [String] = []
    var open = 0
  }
  private let state = Mutex(State())

  package init() {}

  /// Opens addresses, one after the other, when a sign-in waits for them.
  package func opens(_ addresses: String...) { state.withLock { $0.addresses += addresses } }

  /// The verdict on each address.
  package var answers: [CallbackPage] { state.withLock { $0.answers } }
  /// The schemes that were acct's at some time.
  package var registered: [String] { state.withLock { $0.registered } }
  /// Whether a scheme is acct's now.
  package var isRegistered: Bool { state.withLock { $0.open > 0 } }

  /// The port to it.
  package func handler(at location: SourceLocation = #_sourceLocation) -> SchemeHandler {
    SchemeHandler(
      register: { scheme throws(SchemeHandlerFailure) in
        let addresses = self.state.withLock { state in
          state.registered.append(scheme)
          return state.addresses
        }
        guard !addresses.isEmpty else {
          Issue.record("\(scheme) was not expected to be registered", sourceLocation: location)
          throw .failed(reason: "not provided")
        }
        self.state.withLock { $0.open += 1 }
        return SchemeReception(next: { self.next() }, close: { self.state.withLock { $0.open -= 1 } })
      },
      deliver: { _, _ throws(SchemeHandlerFailure) in throw .nobodyWaits }
    )
  }

  private func next() -> HandedAddress? {
    let address = state.withLock { $0.addresses.isEmpty ? nil : $0.addresses.removeFirst() }
    return address.map { address in
      HandedAddress(address: Secret(address)) { page in self.state.withLock { $0.answers.append(page) } }
    }
  }
}
