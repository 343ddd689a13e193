import AcctModel
import Secrets
import AcctPorts
import CLibCurl
import Curl

/// One request to one member, and its reply: a libcurl handle, and the state that its callbacks share.
///
/// Everything happens on the thread that calls ``run(on:within:)``.
@safe final class Exchange {
  /// A call of a method, the member that it goes to, and this machine's credentials.
  struct Request {
    var member: Member
    var method: Method
    /// The message, which may hold a password.
    var message: Secret
    /// Of the user, if there is one.
    var token: Secret?
    var identity: Identity
  }

  /// The calls of etcd that are made, by their paths.
  enum Method: String {
    case range = "/etcdserverpb.KV/Range"
    case transaction = "/etcdserverpb.KV/Txn"
    case authenticate = "/etcdserverpb.Auth/Authenticate"
  }

  /// Paths of PEM files.
  struct Identity: Sendable {
    var certificate: String?
    var key: String?
    var authority: String?
  }

  /// The most bytes of a reply: 13,000 accounts of 5 KB.
  static let bodyLimit = 64 << 20

  let request: Request
  let curl: CurlTable
  let memory: LentMemory
  private var head = ReplyHead()
  private var body: [UInt8] = []
  /// The flaw that a callback found, which libcurl does not know.
  private(set) var flaw: WireFlaw?
  /// `true` once the request was put on a connection, which happens once.
  private(set) var wasSent = false

  init(_ request: Request, _ curl: CurlTable) {
    self.request = request
    self.curl = curl
    memory = LentMemory()
    // An array that grows leaves copies behind, of a token, too.
    body.reserveCapacity(1 << 14)
  }

  deinit { wipe(&body) }

  /// Sends the request, and waits for the reply.
  ///
  /// - Parameters:
  ///   - connections: The kept connections: one is taken from them, and left there for the next request.
  ///   - limit: The time limit for all of it.
  /// - Returns: The message of the reply.
  /// - Throws: A ``Setback`` for anything but a reply with a status of success.
  func run(on connections: Connections, within limit: Duration) throws(Setback) -> [UInt8] {
    guard let easy = unsafe curl.functions.pointee.easy_init() else { throw Self.noMemory }
    // It ends before the memory that it points to, which this object keeps.
    defer { unsafe curl.functions.pointee.easy_cleanup(easy) }
    var options = unsafe HandleOptions(curl, easy, memory)
    try set(&options, within: limit)
    let code = try unsafe connections.perform(easy, within: limit)
    if code != CURLE_OK || flaw != nil { throw setback(unsafe HandleReport(code, curl, easy, memory)) }
    return try reply()
  }

  static let noMemory = Setback(.failed(reason: "libcurl has no memory"), .nothing)

  private func reply() throws(Setback) -> [UInt8] {
    let place = request.member.place
    guard head.isGRPC, head.status == 200 else { throw Setback(status: head.status, at: place) }
    guard let status = head.call else { throw Setback(.truncated, at: place) }
    guard status.code == 0 else {
      let secrets = [request.token].compactMap(\.self)
      throw Setback(status, at: place, redacting: Redactor(secrets))
    }
    do throws(WireFlaw) { return Array(try GRPCFrame.message(in: body)) } catch { throw Setback(error, at: place) }
  }

  // MARK: Callbacks

  /// Decides whether libcurl may put the request on a connection: once.
  ///
  /// It would send it again by itself if a connection that was used before ended without an answer. The caller
  /// decides whether to send it again, and what that means.
  func maySend() -> Bool {
    defer { wasSent = true }
    return !wasSent
  }

  func took(line: UnsafeRawBufferPointer) -> Bool {
    do throws(WireFlaw) { try head.take(unsafe Array(line)) } catch { flaw = error }
    return flaw == nil
  }

  func took(body part: UnsafeRawBufferPointer) -> Bool {
    guard part.count <= Self.bodyLimit - body.count else {
      flaw = .tooLarge
      return false
    }
    unsafe body.append(contentsOf: part)
    return true
  }
}

/// The functions that libcurl calls, with the exchange as their data.
extension Exchange {
  func setCallbacks(_ options: inout HandleOptions) {
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe options.setCallback(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, data) { start, _, count, data in
      let line = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe exchange(data).took(line: line) ? count : 0
    }
    unsafe options.setCallback(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, data) { start, _, count, data in
      let part = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe exchange(data).took(body: part) ? count : 0
    }
    unsafe options.setPrerequisite(data) { data, _, _, _, _ in
      unsafe exchange(data).maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    // Closed on exec: programs that acct starts must not inherit a connection that is logged in.
    unsafe options.setOpenSocket(data) { _, _, address in
      guard let address = unsafe address else { return CURL_SOCKET_BAD }
      return unsafe acct_curl_socket(address)
    }
  }
}

/// The exchange that a callback is for; it lives for as long as its handle.
private func exchange(_ data: UnsafeMutableRawPointer?) -> Exchange {
  unsafe Unmanaged<Exchange>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
}
