import AcctPorts
import CLibCurl

/// The work of the transfers' thread, one round after another.
struct TransferWork {
  private let library: CurlLibrary
  private let multi: CurlMulti
  private let sockets: TransferSockets
  /// By the addresses of their handles.
  private var transfers: [Int: Transfer] = [:]
  private let growing = GrowingTransfers()
  /// When transfers that have stalled are looked for.
  private var nextLook = ContinuousClock.now
  private(set) var hasEnded = false

  init(_ library: CurlLibrary, _ multi: CurlMulti, _ sockets: TransferSockets) {
    self.library = library
    self.multi = multi
    self.sockets = sockets
  }

  mutating func carryOut(_ order: TransferThread.Order) {
    switch order {
    case .start(let transfer): start(transfer)
    case .goOn(let transfer):
      guard let easy = unsafe transfer.easy else { return }
      _ = unsafe library.table.pointee.easy_pause(easy, CURLPAUSE_CONT)
    case .cancel(let transfer): remove(transfer, .cancelled)
    case .end:
      for transfer in Array(transfers.values) { remove(transfer, .cancelled) }
      hasEnded = true
    }
  }

  /// Does what can be done now, then waits until more can.
  ///
  /// - Parameter mayWait: Whether no order was left, and one that is left now will wake the thread.
  mutating func goOn(_ mayWait: () -> Bool) {
    guard !hasEnded else { return }
    sockets.actInTime()
    removeFinished()
    removeStalled()
    if !growing.isEmpty {
      // As long as more of a body comes at once, its reader gets it in larger parts.
      let hasMoved = sockets.wait(atMost: 0)
      removeFinished()
      growing.flush(evenIfGrowing: !hasMoved)
      guard !hasMoved else { return }
    }
    guard mayWait() else { return }
    _ = sockets.wait(atMost: transfers.isEmpty ? -1 : Self.lookInterval)
    removeFinished()
  }

  /// In milliseconds.
  private static let lookInterval: Int32 = 1000

  private mutating func removeFinished() {
    var left: Int32 = 0
    while let message = unsafe library.table.pointee.multi_info_read(multi.handle, &left) {
      guard let easy = unsafe message.pointee.easy_handle,
        let transfer = transfers[Int(bitPattern: easy)]
      else { continue }
      let code = unsafe acct_curl_result(message)
      remove(transfer, transfer.failure(code))
    }
  }

  private mutating func removeStalled() {
    guard !transfers.isEmpty, nextLook <= .now else { return }
    nextLook = .now + .milliseconds(Self.lookInterval)
    for transfer in Array(transfers.values) where transfer.isStalled() {
      remove(transfer, .timedOut)
    }
  }

  private mutating func start(_ transfer: Transfer) {
    // Cancelled before it began.
    guard !transfer.hasEnded else { return }
    do throws(HTTPFailure) { try transfer.open() } catch {
      return remove(transfer, error)
    }
    transfer.growing = growing
    guard let easy = unsafe transfer.easy,
      unsafe library.table.pointee.multi_add_handle(multi.handle, easy) == CURLM_OK
    else { return remove(transfer, .unsendable(reason: "libcurl has no memory")) }
    transfers[Int(bitPattern: easy)] = transfer
    transfer.lastProgress = .now
  }

  private mutating func remove(_ transfer: Transfer, _ failure: HTTPFailure?) {
    if let easy = unsafe transfer.easy {
      unsafe transfer.easy = nil
      if transfers.removeValue(forKey: Int(bitPattern: easy)) != nil {
        _ = unsafe library.table.pointee.multi_remove_handle(multi.handle, easy)
      }
      unsafe library.table.pointee.easy_cleanup(easy)
      transfer.resources.free()
      growing.remove(transfer)
      transfer.growing = nil
    }
    transfer.end(failure)
  }
}
