import AcctModel
import AcctPorts
import CLibCurl
import Curl

/// libcurl's connections: one request at a time leaves its own for the next.
@safe final class Connections: @unchecked Sendable {
  private let curl: CurlTable
  private let multi: UnsafeMutableRawPointer

  init(_ curl: CurlTable) throws(Setback) {
    guard let multi = unsafe curl.functions.pointee.multi_init() else { throw Exchange.noMemory }
    self.curl = curl
    unsafe self.multi = multi
  }

  deinit { _ = unsafe curl.functions.pointee.multi_cleanup(multi) }

  /// Performs a request, and waits for its end.
  ///
  /// - Parameters:
  ///   - easy: The request's handle.
  ///   - limit: The handle has it, too; it is kept here in case libcurl does not notice.
  /// - Returns: libcurl's result.
  /// - Throws: A ``Setback`` if libcurl has no memory.
  func perform(_ easy: UnsafeMutableRawPointer, within limit: Duration) throws(Setback) -> CURLcode {
    let functions = unsafe curl.functions.pointee
    guard unsafe functions.multi_add_handle(multi, easy) == CURLM_OK else { throw Exchange.noMemory }
    defer { _ = unsafe functions.multi_remove_handle(multi, easy) }
    let end = ContinuousClock.now + limit + .milliseconds(100)
    while ContinuousClock.now < end {
      var running: Int32 = 0
      _ = unsafe functions.multi_perform(multi, &running)
      var left: Int32 = 0
      while let message = unsafe functions.multi_info_read(multi, &left) {
        if unsafe message.pointee.msg == CURLMSG_DONE { return unsafe acct_curl_result(message) }
      }
      _ = unsafe functions.multi_poll(multi, nil, 0, 200, nil)
    }
    return CURLE_OPERATION_TIMEDOUT
  }
}

/// A member of a cluster, by the address at which it serves clients.
struct Member: Sendable {
  let origin: Origin

  /// Parses `https://HOST:PORT`.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)``.
  init(_ endpoint: String) throws(SharedStoreFailure) {
    // Plain http would show the password and every key, and what is stored could be changed on the way.
    guard let origin = try? Origin(endpoint), origin.scheme == .https else {
      throw .failed(reason: "\(printable(endpoint)) is not the https address of a member")
    }
    self.origin = origin
  }

  /// The member's name in messages, always with its port.
  var place: String { "\(origin.host):\(origin.port)" }
}
