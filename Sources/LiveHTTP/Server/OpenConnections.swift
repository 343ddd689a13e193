import Glibc
import NIOCore
import Synchronization

/// The connections to a listener that are open now.
///
/// Any local program, and a page in the browser, can connect to a port. So there is a limit, at
/// which the oldest connection that has not sent a valid request is closed for a new one; and such
/// a connection ends after a while in any case. A connection that waits for an answer is never
/// closed in favour of another.
final class OpenConnections: Sendable {
  private let limit: Int
  /// The time for which a connection may stay without a valid request; `nil` where its handler sees to that.
  private let timeout: TimeAmount?
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var open: [ObjectIdentifier: Connection] = [:]
    var haveEnded = false
  }

  private struct Connection {
    let channel: any Channel
    var stage = Stage.fresh
    /// When it got there, in the order of all such events.
    var order: Int
    var deadline: Scheduled<Void>?
  }

  /// The state of a connection; earlier states are closed first.
  private enum Stage: Int {
    /// It has not sent a valid request.
    case fresh
    /// It has, and waits for nothing now.
    case idle
    case atWork
  }

  /// - Parameters:
  ///   - limit: The greatest number that may be open at once.
  ///   - timeout: The time for which one may stay without a valid request.
  init(limit: Int, timeout: Duration?) {
    self.limit = limit
    self.timeout = timeout.map { TimeAmount($0) }
  }

  var haveEnded: Bool { state.withLock { $0.haveEnded } }

  /// Admits a connection, if need be in place of another one.
  ///
  /// - Returns: `true` if it may stay.
  func admit(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    var isAdmitted = false
    let displaced = state.withLock { state -> (any Channel)? in
      guard !state.haveEnded else { return nil }
      var displaced: (any Channel)?
      if state.open.count >= limit {
        let waiting = state.open.filter { $0.value.stage != .atWork }
        guard
          let first = waiting.min(by: {
            ($0.value.stage.rawValue, $0.value.order)
              < ($1.value.stage.rawValue, $1.value.order)
          })
        else { return nil }
        first.value.deadline?.cancel()
        state.open[first.key] = nil
        displaced = first.value.channel
      }
      state.count += 1
      state.open[id] = Connection(channel: channel, order: state.count, deadline: deadline(channel))
      isAdmitted = true
      return displaced
    }
    displaced?.close(promise: nil)
    guard isAdmitted else { return false }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.open.removeValue(forKey: id)?.deadline?.cancel() }
    }
    return true
  }

  /// Notes that a connection has sent a valid request, which is being answered.
  func begin(_ channel: any Channel) { change(channel, to: .atWork) }

  /// Notes that a connection has had its answer.
  ///
  /// - Parameters:
  ///   - channel: The connection.
  ///   - wasValid: `true` if the request turned out to be one that this listener serves; if not, the connection has
  ///     proved nothing, and its time runs.
  func rest(_ channel: any Channel, wasValid: Bool) { change(channel, to: wasValid ? .idle : .fresh) }

  /// Admits no connection any more.
  ///
  /// - Returns: The connections that are still open; `nil` if it had ended before.
  func end() -> [any Channel]? {
    state.withLock { state in
      guard !state.haveEnded else { return nil }
      state.haveEnded = true
      return state.open.values.map(\.channel)
    }
  }

  private func change(_ channel: any Channel, to stage: Stage) {
    state.withLock { state in
      guard var connection = state.open[ObjectIdentifier(channel)] else { return }
      connection.deadline?.cancel()
      connection.deadline = stage == .fresh ? deadline(channel) : nil
      state.count += 1
      connection.order = state.count
      connection.stage = stage
      state.open[ObjectIdentifier(channel)] = connection
    }
  }

  private func deadline(_ channel: any Channel) -> Scheduled<Void>? {
    timeout.map { timeout in channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) } }
  }

  /// A share of the files that this process may have open: each connection may need another one to a
  /// server, and keyring and account files come on top.
  static func share(atMost most: Int) -> Int {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return max(8, min(most, Int(clamping: limit.rlim_cur / 4)))
  }
}
