import AcctModel
import AcctPorts
import CLibCurl
import Curl
import Synchronization

/// One request and its response: a libcurl handle, and the state that its callbacks share.
///
/// But for the pipes and the head, which are locked, everything is for the holder of ``TransferWork``, one thread at
/// a time.
@safe final class Transfer: @unchecked Sendable {
  private(set) var message: RequestMessage
  let route: Route
  let rootsFile: String?
  let library: CurlTable
  let response: ResponsePipe
  let upload: RequestPipe?

  private let head = Mutex(HeadState.none)
  private let removal = Mutex(Removal())

  // The state that goes with the work.
  var easy: UnsafeMutableRawPointer?
  let memory = LentMemory()
  /// The head, until its reader is told.
  var arrivedHead: ResponseHead?
  /// The list to enter when more of its response comes; set for as long as it has a handle.
  var growing: GrowingTransfers?
  var parser = ResponseHeadParser()
  /// A callback's failure, which libcurl does not know.
  var failure: HTTPFailure?
  /// `true` if an address of its host is one that it may not reach.
  var metInside = false
  /// `true` once the request was put on a connection, which happens once.
  var wasSent = false
  /// The TLS session whose end is the body's, if it is.
  var session: UnsafeRawPointer?
  /// When something last moved.
  var lastProgress = ContinuousClock.now
  var lastSize: curl_off_t = 0

  private enum HeadState {
    case none
    case awaited(CheckedContinuation<Result<ResponseHead, HTTPFailure>, Never>)
    case settled(Result<ResponseHead, HTTPFailure>)
    /// Its one reader has it, and no copy stays here: a field may be a secret.
    case handedOver
  }

  private struct Removal {
    var isRemoved = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  init(_ message: RequestMessage, _ route: Route, rootsFile: String?, _ library: CurlTable) {
    self.library = library
    self.message = message
    self.route = route
    self.rootsFile = rootsFile
    response = ResponsePipe(reuses: !message.isHeldInMemory)
    upload = if case .source(let source) = message.body { RequestPipe(source) } else { nil }
  }

  /// Waits for the head, or the failure in its place.
  func head(_ start: () -> Void) async -> Result<ResponseHead, HTTPFailure> {
    await withCheckedContinuation { caller in
      let isNew = head.withLock { state in
        // A task that was cancelled before gets its failure here.
        if case .settled(let outcome) = state {
          caller.resume(returning: outcome)
          state = .handedOver
          return false
        }
        state = .awaited(caller)
        return true
      }
      if isNew { start() }
    }
  }

  /// Hands the bytes that have come to a reader that waits for them.
  ///
  /// - Parameter evenIfGrowing: `true` to do so even if something of the body came since the last call.
  /// - Returns: `true` if it need not be called before more comes.
  func flush(evenIfGrowing: Bool) -> Bool {
    if let head = arrivedHead.take() { settle(.success(head)) }
    return response.flush(evenIfGrowing: evenIfGrowing)
  }

  /// Returns the head to the waiting task, whose wait ends.
  private func settle(_ outcome: Result<ResponseHead, HTTPFailure>) {
    head.withLock { state in
      switch state {
      case .none: state = .settled(outcome)
      case .awaited(let caller):
        caller.resume(returning: outcome)
        state = .handedOver
      case .settled, .handedOver: break
      }
    }
  }

  /// Ends every wait for this transfer, which libcurl has released.
  ///
  /// Its secrets are wiped first: the waiting task may end the process before this thread has
  /// finished its round and released the transfer.
  func end(_ failure: HTTPFailure?) {
    message.forgetSecrets()
    // First, so that a reader that is done does not order it to be cancelled.
    removal.withLock { removal in
      removal.isRemoved = true
      for waiting in removal.waiting { waiting.resume() }
      removal.waiting = []
    }
    // Before its head is delivered: a reader has it all at once then, and waits no more.
    response.end(failure)
    settle(arrivedHead.take().map { .success($0) } ?? .failure(failure ?? .closed))
    upload?.close()
  }

  /// `true` if libcurl has released it, or never got it.
  var hasEnded: Bool { removal.withLock { $0.isRemoved } }

  /// Waits until libcurl has released it.
  func removed() async {
    await withCheckedContinuation { caller in
      removal.withLock { removal in
        if removal.isRemoved { caller.resume() } else { removal.waiting.append(caller) }
      }
    }
  }

  /// `true` if nothing has moved for too long, and neither a reader nor a source is the cause.
  func isStalled() -> Bool {
    guard case .each(let seconds) = message.timeout, let easy = unsafe easy else { return false }
    let size =
      unsafe acct_curl_get_size(library.functions, easy, CURLINFO_SIZE_UPLOAD_T)
      &+ acct_curl_get_size(library.functions, easy, CURLINFO_SIZE_DOWNLOAD_T)
    // A wait that ended a moment ago counts: it may have filled all the time since the last look.
    let wasHeldUp = response.hasBeenHeldUp()
    let wasWaitedFor = upload?.hasBeenWaitedFor() ?? false
    if size != lastSize || wasHeldUp || wasWaitedFor {
      lastSize = size
      lastProgress = .now
    }
    return lastProgress.duration(to: .now) >= .seconds(seconds)
  }
}

/// The way to a server.
enum Route: Hashable, Sendable {
  case direct
  case proxied(Proxy)
}
