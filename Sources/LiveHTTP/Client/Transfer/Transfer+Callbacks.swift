import AcctModel
import AcctPorts
import CLibCurl
import Curl

/// The functions that libcurl calls, with the transfer as their data, on the thread that holds ``TransferWork``.
extension Transfer {
  func setCallbacks(_ options: inout HandleOptions) {
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe options.setCallback(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, data) { start, _, count, data in
      guard let start = unsafe start else { return 0 }
      let line = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe transfer(data).took(line) ? count : 0
    }
    unsafe options.setCallback(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, data) { start, _, count, data in
      guard let start = unsafe start else { return 0 }
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe transfer(data).took(part: bytes) ? count : Int(CURL_WRITEFUNC_PAUSE)
    }
    unsafe options.setPrerequisite(data) { data, address, _, _, _ in
      let transfer = unsafe transfer(data)
      let mayReach = unsafe transfer.mayReach(address)
      return mayReach && transfer.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    unsafe limitReach(&options, data)
    guard upload != nil else { return }
    unsafe options.setCallback(CURLOPT_READFUNCTION, CURLOPT_READDATA, data) { start, size, count, data in
      guard let start = unsafe start else { return Int(CURL_READFUNC_ABORT) }
      return unsafe transfer(data).draw(into: UnsafeMutableRawBufferPointer(start: start, count: size * count))
    }
  }

  private func took(_ line: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTPFailure) {
      guard let head = try parser.take(unsafe Array(line)) else { return true }
      if endsWithConnection(head) { listenForGoodbye() }
      arrivedHead = head
      growing?.note(self)
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func took(part bytes: UnsafeRawBufferPointer) -> Bool {
    guard unsafe response.offer(bytes) else { return false }
    growing?.note(self)
    return true
  }

  /// `true` if nothing but the connection's end marks the body's (RFC 9112, section 6.3).
  private func endsWithConnection(_ head: ResponseHead) -> Bool {
    message.url.origin.scheme == .https && message.method != "HEAD"
      && ![204, 304].contains(head.status)
      && !head.fields.contains { $0.name.isField(among: ["content-length", "transfer-encoding"]) }
  }

  private func listenForGoodbye() {
    guard let easy = unsafe easy, let session = unsafe acct_curl_session(library.functions, easy) else { return }
    unsafe CloseNotifyMonitor.listen(for: session)
    unsafe self.session = session
  }

  /// Decides whether libcurl may put the request on a connection: once.
  ///
  /// It would send a request again whose connection, one that was used before, ended without an
  /// answer, or that was answered with 417. Only the caller knows whether that does harm, and whether its time has
  /// passed while the connection was made.
  private func maySend() -> Bool {
    guard !wasSent else {
      if !parser.isComplete { failure = .closed }
      return false
    }
    guard message.mayBeSent?() ?? true else {
      failure = .withheld
      return false
    }
    wasSent = true
    return true
  }

  private func draw(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let upload else { return Int(CURL_READFUNC_ABORT) }
    switch unsafe upload.draw(into: buffer) {
    case .bytes(let count): return count
    case .wait: return Int(CURL_READFUNC_PAUSE)
    case .end: return 0
    case .failed(let why):
      failure = why
      return Int(CURL_READFUNC_ABORT)
    }
  }
}

/// The transfer that a callback is for; it lives for as long as its handle.
private func transfer(_ data: UnsafeMutableRawPointer?) -> Transfer {
  unsafe Unmanaged<Transfer>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
}
