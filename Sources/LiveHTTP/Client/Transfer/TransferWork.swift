import AcctPorts
import CLibCurl
import Curl
import Glibc
import Synchronization

/// The work with libcurl's set of transfers, done by one thread at a time.
struct TransferWork {
  private let library: CurlTable
  private let multi: CurlMulti
  private let sockets: TransferSockets
  /// By the addresses of their handles.
  private var transfers: [Int: Transfer] = [:]
  private let growing = GrowingTransfers()
  /// When transfers that have stalled are looked for.
  private var nextLook = ContinuousClock.now
  /// `true` if one was begun since the thread's wait was planned.
  private var hasBegunOne = false
  private(set) var hasEnded = false

  init(_ library: CurlTable, _ multi: CurlMulti, _ sockets: TransferSockets) {
    self.library = library
    self.multi = multi
    self.sockets = sockets
  }

  mutating func carryOut(_ order: TransferThread.Order) {
    switch order {
    case .start(let transfer): start(transfer)
    case .goOn(let transfer):
      guard let easy = unsafe transfer.easy else { return }
      _ = unsafe library.functions.pointee.easy_pause(easy, CURLPAUSE_CONT)
    case .cancel(let transfer): remove(transfer, .cancelled)
    case .end:
      for transfer in Array(transfers.values) { remove(transfer, .cancelled) }
      hasEnded = true
    }
  }

  /// Does all possible work on the thread that has carried out an order.
  ///
  /// - Returns: `true` if the transfers' thread need not hear of it.
  mutating func actAtOnce() -> Bool {
    guard !hasEnded else { return false }
    sockets.actInTime()
    removeFinished()
    return growing.isEmpty && sockets.isWaitedForInTime && (transfers.isEmpty || sockets.hasWaitEnd)
  }

  /// Does all possible work.
  ///
  /// - Parameter mayWait: Returns `true` if no order was left, and one that is left now will wake the thread.
  /// - Returns: The time for which the thread may wait for more, in milliseconds; -1 is for ever.
  mutating func goOn(_ mayWait: () -> Bool) -> Int32 {
    sockets.actInTime()
    removeFinished()
    removeStalled()
    if !growing.isEmpty {
      // As long as more of a body comes at once, its reader gets it in larger parts.
      let hasMoved = sockets.act(on: sockets.wait(sockets.plan(atMost: 0)))
      removeFinished()
      growing.flush(evenIfGrowing: !hasMoved)
      guard !hasMoved else { return sockets.plan(atMost: 0) }
    }
    guard mayWait() else { return sockets.plan(atMost: 0) }
    // Not for ever as soon as there is none: the next one would have to wake it, to be looked after.
    let isIdle = transfers.isEmpty && !hasBegunOne
    hasBegunOne = false
    return sockets.plan(atMost: isIdle ? -1 : Self.lookInterval)
  }

  /// Handles the events of a wait.
  ///
  /// - Parameter count: The number of events.
  mutating func act(on count: Int) {
    _ = sockets.act(on: count)
    removeFinished()
  }

  /// In milliseconds.
  private static let lookInterval: Int32 = 1000

  private mutating func removeFinished() {
    var left: Int32 = 0
    while let message = unsafe library.functions.pointee.multi_info_read(multi.handle, &left) {
      guard let easy = unsafe message.pointee.easy_handle, let transfer = transfers[Int(bitPattern: easy)]
      else { continue }
      let code = unsafe acct_curl_result(message)
      unsafe remove(transfer, transfer.failure(code, easy))
    }
  }

  private mutating func removeStalled() {
    guard !transfers.isEmpty, nextLook <= .now else { return }
    nextLook = .now + .milliseconds(Self.lookInterval)
    for transfer in Array(transfers.values) where transfer.isStalled() { remove(transfer, .timedOut) }
  }

  private mutating func start(_ transfer: Transfer) {
    // Cancelled before it began.
    guard !transfer.hasEnded else { return }
    do throws(HTTPFailure) { try transfer.open() } catch { return remove(transfer, error) }
    transfer.growing = growing
    hasBegunOne = true
    guard let easy = unsafe transfer.easy,
      unsafe library.functions.pointee.multi_add_handle(multi.handle, easy) == CURLM_OK
    else { return remove(transfer, .unsendable(reason: "libcurl has no memory")) }
    transfers[Int(bitPattern: easy)] = transfer
    transfer.lastProgress = .now
  }

  private mutating func remove(_ transfer: Transfer, _ failure: HTTPFailure?) {
    if let easy = unsafe transfer.easy {
      unsafe transfer.easy = nil
      if transfers.removeValue(forKey: Int(bitPattern: easy)) != nil {
        _ = unsafe library.functions.pointee.multi_remove_handle(multi.handle, easy)
      }
      unsafe library.functions.pointee.easy_cleanup(easy)
      transfer.memory.free()
      growing.remove(transfer)
      transfer.growing = nil
    }
    transfer.end(failure)
  }
}

/// The transfers whose responses have grown, and whose readers have not been told.
///
/// For the holder of ``TransferWork``, as the callbacks are that note them.
final class GrowingTransfers {
  private var transfers: [Transfer] = []

  var isEmpty: Bool { transfers.isEmpty }

  func note(_ transfer: Transfer) {
    if !transfer.isNoted { transfers.append(transfer) }
    transfer.isNoted = true
  }

  /// Hands the bytes that have come to readers that wait.
  ///
  /// - Parameter evenIfGrowing: `true` to do so even where more may come at once; if not, readers get it in larger
  ///   parts.
  func flush(evenIfGrowing: Bool) {
    transfers.removeAll { transfer in
      transfer.isNoted = !transfer.flush(evenIfGrowing: evenIfGrowing)
      return !transfer.isNoted
    }
  }

  func remove(_ transfer: Transfer) {
    guard transfer.isNoted else { return }
    transfers.removeAll { $0 === transfer }
    transfer.isNoted = false
  }
}

/// The one thread that waits for libcurl's sockets and for orders of other threads.
///
/// A thread that has an order carries it out itself while this one waits: a request leaves without a thread that would
/// have to wake up first. Responses are this thread's, and so are the orders that come while it is at work.
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
    let isAsleep = desk.withLock { desk in
      desk.orders.append(order)
      return desk.isAsleep
    }
    // A thread at work sees the order before it waits, and has what another one could only wait for.
    guard isAsleep else { return }
    // It waits for a device, which is not for a thread of the pool.
    if case .start(let transfer) = order, transfer.usesDevice { return wake() }
    let isDone = work.withLockIfAvailable { work in
      carryOutOrders(by: &work)
      return work.actAtOnce()
    }
    if isDone != true { wake() }
  }

  private func wake() {
    let isAsleep = desk.withLock { desk in
      defer { desk.isAsleep = false }
      return desk.isAsleep
    }
    // If it does not wait yet, its next wait ends at once.
    if isAsleep { sockets.wake() }
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
