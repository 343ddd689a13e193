import AcctPorts
import NIOCore
import Synchronization

/// The connections to a listener that are open now.
final class Visits: Sendable {
  /// Any page in the browser can connect, and none must use up the process's descriptors.
  private static let limit = 100

  private let state = Mutex(State())
  private let arrivals: AsyncStream<Callback>.Continuation

  private struct State {
    var open: [ObjectIdentifier: any Channel] = [:]
    var haveEnded = false
  }

  init(_ arrivals: AsyncStream<Callback>.Continuation) { self.arrivals = arrivals }

  var haveEnded: Bool { state.withLock { $0.haveEnded } }

  /// Returns whether a connection may stay, and then keeps it in mind until it closes.
  func admit(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isAdmitted = state.withLock { state in
      guard !state.haveEnded, state.open.count < Self.limit else { return false }
      state.open[id] = channel
      return true
    }
    if isAdmitted {
      channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open[id] = nil } }
    }
    return isAdmitted
  }

  /// Admits nobody any more, and ends the wait for callbacks.
  ///
  /// - Returns: The connections that are still open; `nil` if it had ended before.
  func end() -> [any Channel]? {
    let open: [any Channel]? = state.withLock { state in
      guard !state.haveEnded else { return nil }
      state.haveEnded = true
      return Array(state.open.values)
    }
    arrivals.finish()
    return open
  }
}
