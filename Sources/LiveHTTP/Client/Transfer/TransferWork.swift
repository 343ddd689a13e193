import AcctPorts
import CLibCurl

/// The work of the transfers' thread, one round after another.
struct TransferWork {
  private let library: CurlLibrary
  private let multi: CurlMulti
  /// By the addresses of their handles.
  private var transfers: [Int: Transfer] = [:]
  private(set) var hasEnded = false

  init(_ library: CurlLibrary, _ multi: CurlMulti) {
    self.library = library
    self.multi = multi
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
  /// - Parameter hasOrders: Whether there is something to do that libcurl does not know of.
  mutating func goOn(_ hasOrders: () -> Bool) {
    guard !hasEnded else { return }
    var running: Int32 = 0
    _ = unsafe library.table.pointee.multi_perform(multi.handle, &running)
    var left: Int32 = 0
    while let message = unsafe library.table.pointee.multi_info_read(multi.handle, &left) {
      guard let easy = unsafe message.pointee.easy_handle,
        let transfer = transfers[Int(bitPattern: easy)]
      else { continue }
      let code = unsafe acct_curl_result(message)
      remove(transfer, transfer.failure(code))
    }
    for transfer in Array(transfers.values) where transfer.isStalled() {
      remove(transfer, .timedOut)
    }
    var ready: Int32 = 0
    _ = unsafe library.table.pointee.multi_poll(multi.handle, nil, 0, 0, &ready)
    // As long as more of a body comes at once, its reader gets it in larger parts.
    for transfer in transfers.values { transfer.response.flush(evenIfGrowing: ready == 0) }
    guard ready == 0 else { return }
    // That poll may have taken the call that went with an order.
    guard !hasOrders() else { return }
    // Stalls are looked for once a second.
    let timeout: Int32 = transfers.isEmpty ? 60_000 : 1000
    _ = unsafe library.table.pointee.multi_poll(multi.handle, nil, 0, timeout, nil)
  }

  private mutating func start(_ transfer: Transfer) {
    // Cancelled before it began.
    guard !transfer.hasEnded else { return }
    do throws(HTTPFailure) { try transfer.open() } catch {
      return remove(transfer, error)
    }
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
      transfer.resources.free(library)
    }
    transfer.end(failure)
  }
}
