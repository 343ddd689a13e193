import AcctPorts
import CLibCurl
import Curl
import Glibc
import Synchronization

/// The one thread that waits for libcurl's sockets and for orders of other threads.
///
/// A thread that has an order carries it out itself, if no other is at work: a request leaves without a thread that
/// would have to wake up first. Responses are this thread's, and so is an order that another one at work has not
/// seen.
final class TransferThread: Sendable {
  private let library: CurlTable
  private let multi: CurlMulti
  private let sockets: TransferSockets
  private let work: Mutex<TransferWork>
  private let desk = Mutex(CommandQueue())

  private struct CommandQueue {
    var orders: [Order] = []
    /// `true` if the thread waits, or is about to: else it sees new orders without being woken.
    var isAsleep = false
    var isClosed = false
  }

  enum Order {
    case start(Transfer)
    /// Its reader or its source has caught up.
    case goOn(Transfer)
    case cancel(Transfer)
    /// Ends the thread, and its transfers.
    case end
  }

  /// Starts the thread.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if there is no libcurl, or no thread is available.
  init(_ library: CurlTable) throws(HTTPFailure) {
    guard let handle = unsafe library.functions.pointee.multi_init() else {
      throw .unsendable(reason: "libcurl has no memory")
    }
    self.library = library
    multi = unsafe CurlMulti(handle: handle)
    do throws(HTTPFailure) { sockets = try TransferSockets(library, multi) } catch {
      _ = unsafe library.functions.pointee.multi_cleanup(handle)
      throw error
    }
    work = Mutex(TransferWork(library, multi, sockets))
    // As many as there may be clients of a proxy at once: fewer, and their connections would be closed after each
    // request, to be made again for the next.
    _ = unsafe acct_curl_keep_connections(library.functions, handle, Self.connections)
    var thread = pthread_t()
    let own = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(&thread, nil, runTransferThread, own.toOpaque())
    guard code == 0 else {
      unsafe own.release()
      throw .unsendable(reason: "no thread could be started")
    }
    pthread_detach(thread)
  }

  /// The greatest number of connections that are kept.
  private static let connections = 256

  func order(_ order: Order) {
    desk.withLock { $0.orders.append(order) }
    // It waits for a device, which is not for a thread of the pool.
    if case .start(let transfer) = order, transfer.usesDevice { return wake() }
    let isDone = work.withLockIfAvailable { work in
      carryOutOrders(by: &work)
      return work.actAtOnce()
    }
    if isDone != true { wake() }
  }

  private func wake() {
    desk.withLock { desk in
      guard desk.isAsleep else { return }
      desk.isAsleep = false
      sockets.wake()
    }
  }

  fileprivate func run() {
    while let wait = nextWait() {
      let count = sockets.wait(wait)
      desk.withLock { $0.isAsleep = false }
      work.withLock { $0.act(on: count) }
    }
    // No caller waits any more for orders left since.
    work.withLock { _ in
      desk.withLock { $0.isClosed = true }
      _ = unsafe library.functions.pointee.multi_cleanup(multi.handle)
    }
  }

  /// Does all pending work, and returns the time to wait for more, in milliseconds; `nil` at the end.
  private func nextWait() -> Int32? {
    work.withLock { work in
      carryOutOrders(by: &work)
      guard !work.hasEnded else { return nil }
      return work.goOn {
        desk.withLock { desk in
          desk.isAsleep = desk.orders.isEmpty
          return desk.isAsleep
        }
      }
    }
  }

  /// A function of its own, so that the orders, and the secrets in their transfers, are gone before the thread waits
  /// for the next ones.
  private func carryOutOrders(by work: inout TransferWork) {
    let orders = desk.withLock { desk in
      defer { desk.orders = [] }
      return desk.isClosed ? [] : desk.orders
    }
    for order in orders { work.carryOut(order) }
  }
}

private func runTransferThread(_ own: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  unsafe Unmanaged<TransferThread>.fromOpaque(own.unsafelyUnwrapped).takeRetainedValue().run()
  return nil
}

/// libcurl's set of transfers; its functions lock where they must.
@safe struct CurlMulti: @unchecked Sendable {
  let handle: UnsafeMutableRawPointer
}
