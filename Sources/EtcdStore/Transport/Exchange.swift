import AcctModel
import AcctPorts
import CLibCurl
import Curl
import PrivateFiles
import Secrets

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

extension Exchange {
  /// Translates libcurl's report about a request that failed.
  func setback(_ report: HandleReport) -> Setback {
    let place = request.member.place
    if let flaw { return Setback(flaw, at: place) }
    switch report.code {
    case CURLE_COULDNT_RESOLVE_HOST:
      let host = request.member.origin.host
      return Setback(.unavailable(reason: "the name \(host) can't be resolved"), .anotherMember)
    case CURLE_COULDNT_CONNECT:
      return Setback(.unavailable(reason: "\(place): \(report.unreachable)"), .anotherMember)
    case CURLE_OPERATION_TIMEDOUT: return Setback(.timedOut, .anyMember, mayBeDone: wasSent)
    case CURLE_PEER_FAILED_VERIFICATION:
      return Setback(.untrusted(reason: "\(place): \(report.distrust)"), .anotherMember)
    case CURLE_SSL_CACERT_BADFILE:
      let file = request.identity.authority.map { " from \($0)" } ?? ""
      return Setback(.untrusted(reason: "no certificate can be read\(file)"), .nothing)
    case CURLE_SSL_CERTPROBLEM:
      return Setback(.denied(reason: unusableCertificate), .nothing)
    case CURLE_SSL_CONNECT_ERROR:
      let reason = "\(place) closed the connection in the TLS handshake"
      return refusal(report) ?? Setback(.unavailable(reason: reason), .anyMember)
    default: return refusal(report) ?? closed
    }
  }

  private var closed: Setback {
    let reason = "\(request.member.place) closed the connection"
    return Setback(.unavailable(reason: reason), .anyMember, mayBeDone: wasSent)
  }

  /// The setback that a member reports in a TLS handshake, whose last alert may come after the request was sent.
  private func refusal(_ report: HandleReport) -> Setback? {
    let place = request.member.place
    if report.says("alert") && report.says("certificate", "unknown ca", "access denied") {
      let reason =
        request.identity.certificate.map { "\(place) does not accept the certificate of \($0)" }
        ?? "\(place) wants a certificate of the client"
      return Setback(.denied(reason: reason), .anotherMember)
    }
    if report.saysNoTLS {
      return Setback(.untrusted(reason: "\(place) does not speak TLS"), .anotherMember)
    }
    if report.saysOldTLS {
      return Setback(.untrusted(reason: "\(place) has no TLS version from 1.2 on"), .anotherMember)
    }
    if report.says("handshake failure", "no shared cipher") {
      return Setback(.untrusted(reason: "\(place): the TLS handshake failed"), .anotherMember)
    }
    return nil
  }

  private var unusableCertificate: String {
    let identity = request.identity
    let files = [identity.certificate, identity.key].compactMap(\.self)
    return "the client's certificate or key can't be used (\(files.joined(separator: ", ")))"
  }
}

extension Exchange {
  /// Sets the handle's options: everything that libcurl might do by itself is off.
  func set(_ options: inout HandleOptions, within limit: Duration) throws(Setback) {
    setLimits(&options, limit)
    try setTrust(&options)
    setCallbacks(&options)
    setRequest(&options, limit)
    guard options.wereTaken else {
      throw Setback(.failed(reason: "libcurl.so.4 is too old, or built without HTTP/2"), .nothing)
    }
  }

  private func setLimits(_ options: inout HandleOptions, _ limit: Duration) {
    options.set(CURLOPT_TIMEOUT_MS, limit.milliseconds)
    // A member that hangs while others serve costs a second.
    options.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(limit, Self.connectTimeout).milliseconds))
    // A device in between may forget connections on which nothing moves.
    options.set(CURLOPT_MAXAGE_CONN, 30)
    // No proxy, also none of the environment: members are named by the operator, and certificates are shown.
    options.set(CURLOPT_PROXY, "")
    options.set(CURLOPT_NOPROXY, "*")
    options.prefer(CURLOPT_PROTOCOLS_STR, "https")
  }

  /// The time limit for a connection, with the handshake of TLS.
  static let connectTimeout = Duration.milliseconds(1500)

  private func setTrust(_ options: inout HandleOptions) throws(Setback) {
    let identity = request.identity
    // libcurl opens them by their paths, where no other user can replace them after this.
    try check(identity.authority, .genuine)
    try check(identity.certificate, identity.key == nil ? .secret : .genuine)
    try check(identity.key, .secret)
    unsafe options.setTrust(in: request.member.origin, rootsFile: identity.authority)
    if let certificate = identity.certificate {
      options.setIdentity(certificateFile: certificate, keyFile: identity.key)
    }
  }

  /// Checks a file that libcurl is to read; of one that can't be read it has the words.
  private func check(_ path: String?, _ rule: FileRule) throws(Setback) {
    guard let path else { return }
    do throws(FileError) { _ = try Descriptor.trusted(path, rule) } catch .system {
    } catch {
      throw Setback(.denied(reason: "\(printable(path)): \(printable(error.reason))"), .nothing)
    }
  }

  /// The head and the body of gRPC over HTTP/2.
  private func setRequest(_ options: inout HandleOptions, _ limit: Duration) {
    options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    options.set(CURLOPT_URL, "\(request.member.origin)\(request.method.rawValue)")
    let frame = Secret(joining: [Secret(GRPCFrame.prefix(of: request.message.count)), request.message])
    options.set(CURLOPT_POST, 1)
    options.setBody(frame)
    var lines = [
      HeaderLine("content-type", Secret("application/grpc")), HeaderLine("te", Secret("trailers")),
      // A member without a leader says so at once; it would wait for one otherwise.
      HeaderLine("hasleader", Secret("true")),
      // A request that has not been carried out by then won't be.
      HeaderLine("grpc-timeout", Secret("\(limit.milliseconds)m")),
      HeaderLine("User-Agent", Secret("acct")), HeaderLine("Accept", nil), HeaderLine("Expect", nil),
    ]
    // Of the names that etcd knows, the one that is never put into a table of HTTP/2's compression.
    if let token = request.token { lines.append(HeaderLine("authorization", token)) }
    options.setHead(lines)
  }
}

extension Duration {
  /// Rounded up, and at least 1: libcurl takes 0 for no limit.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}

/// Why a request to a member failed, and the next step.
struct Setback: Error {
  /// The failure of the call if no other request succeeds.
  var failure: SharedStoreFailure
  var next: Next
  /// `true` if the member may have carried the request out, or may yet.
  var mayBeDone: Bool

  enum Next {
    /// Every member would say the same.
    case nothing
    /// The member is of no use to this machine as things are; another one may be.
    case anotherMember
    /// The member, or another, may serve in a moment.
    case anyMember
    /// The user has to be authenticated again.
    case login
  }

  init(_ failure: SharedStoreFailure, _ next: Next, mayBeDone: Bool = false) {
    self.failure = failure
    self.next = next
    self.mayBeDone = mayBeDone
  }
}

extension SharedStoreFailure {
  /// The weight of a failure in the report about a cluster whose members failed in different ways.
  ///
  /// One member that has no leader explains why others do not answer; none of this is explained by one that is
  /// not running.
  var weight: Int {
    switch self {
    case .noQuorum: 7
    case .noSpace: 6
    case .timedOut: 5
    case .denied, .readOnly: 4
    case .untrusted: 3
    case .notPrepared: 2
    case .failed: 1
    case .unavailable: 0
    }
  }
}

extension Setback {
  /// Translates an error of etcd (its `rpctypes/error.go`).
  ///
  /// - Parameters:
  ///   - status: As the member has answered.
  ///   - place: The member.
  ///   - redactor: Knows the secrets that were sent.
  init(_ status: CallStatus, at place: String, redacting redactor: Redactor) {
    let words = shown(status.message, redactor)
    let said = "\(place) says: \(words.isEmpty ? "status \(status.code)" : words)"
    func says(_ text: String) -> Bool { status.message.contains(text) }
    switch status.code {
    case 3 where says("authentication failed"):
      self.init(.denied(reason: "\(place) does not accept the user and the password"), .nothing)
    case 3 where says("user name is empty"):
      self.init(.denied(reason: "\(place) wants a user, or a certificate with a user's name"), .nothing)
    case 3 where says("auth store is old"): self.init(.denied(reason: said), .login)
    case 7: self.init(.denied(reason: "\(place) does not let this user at the keys"), .nothing)
    case 8 where says("space exceeded"): self.init(.noSpace, .nothing)
    case 8 where says("too many requests"): self.init(.failed(reason: said), .anyMember)
    case 9 where says("authentication is not enabled"):
      self.init(.denied(reason: "a user is set, but \(place) does not have authentication enabled"), .nothing)
    case 16: self.init(.denied(reason: "\(place) does not accept the user any more"), .login)
    // It was refused before it was looked at: see `hasleader` in `Exchange`.
    case 14 where says("no leader"): self.init(.noQuorum, .anyMember)
    case 4, 14: self.init(.noQuorum, .anyMember, mayBeDone: true)
    // Cancelled and unknown.
    case 1, 2: self.init(.failed(reason: said), .anyMember, mayBeDone: true)
    default: self.init(.failed(reason: said), .nothing)
    }
  }

  /// Translates a status of HTTP where one of gRPC is missing, as gRPC does.
  init(status: Int, at place: String) {
    let reason = "\(place) does not answer as etcd does (HTTP status \(status))"
    switch status {
    case 429, 502...504: self.init(.unavailable(reason: reason), .anyMember, mayBeDone: true)
    default: self.init(.failed(reason: reason), .anotherMember, mayBeDone: true)
    }
  }

  /// Translates a reply that can't be read.
  init(_ flaw: WireFlaw, at place: String) {
    let reason =
      switch flaw {
      case .tooLarge: "the answer of \(place) is longer than \(Exchange.bodyLimit >> 20) MiB"
      case .malformedHead: "\(place) does not speak HTTP/2 as etcd does"
      case .truncated: "the answer of \(place) is cut off"
      case .oversizedNumber, .malformedTag, .unexpectedType, .invalidField, .compressed, .trailingBytes:
        "\(place) does not answer as etcd does"
      }
    self.init(.failed(reason: reason), .nothing, mayBeDone: true)
  }
}

/// A server's words, for one line.
private func shown(_ text: String, _ redactor: Redactor) -> String {
  printable(redactor.redact(String(text.prefix(200))))
}
