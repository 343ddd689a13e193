import AcctModel
import AcctPorts
import CLibCurl
import Curl
import Secrets

extension Transfer {
  /// Translates the end of a transfer into this room's errors; `nil` is success.
  func failure(_ code: CURLcode, _ easy: UnsafeMutableRawPointer) -> HTTPFailure? {
    let sentCloseNotify = unsafe session.map { unsafe CloseNotifyMonitor.heard(from: $0) } ?? true
    if let failure { return failure }
    if code == CURLE_OK && !sentCloseNotify { return .closed }
    let isEnough = code == CURLE_OK || code == CURLE_ABORTED_BY_CALLBACK
    guard !isEnough else { return parser.isComplete ? nil : .closed }
    let outcome = unsafe Outcome(
      report: HandleReport(code, library, easy, memory),
      transfer: self,
      isConnected: acct_curl_get_size(library.functions, easy, CURLINFO_PRETRANSFER_TIME_T) > 0
    )
    // A process that was stopped before it sent anything finds all its deadlines past when it wakes, and connections
    // that were given up. A failure of a name, a port or a certificate has another cause.
    let mayBeLate = code == CURLE_OPERATION_TIMEDOUT || outcome.failure == .closed
    if mayBeLate, !wasSent, message.mayBeSent?() == false { return .withheld }
    if case .proxied(let proxy) = route, let reason = outcome.reason(of: proxy) { return .proxy(reason: reason) }
    return outcome.failure
  }
}

/// libcurl's report of a failed transfer.
private struct Outcome {
  let report: HandleReport
  let transfer: Transfer
  let isConnected: Bool

  var failure: HTTPFailure {
    switch report.code {
    case CURLE_COULDNT_RESOLVE_HOST: .unresolved(host: transfer.message.url.origin.host)
    case CURLE_COULDNT_CONNECT where transfer.metInside:
      .inside(host: transfer.message.url.origin.host)
    case CURLE_COULDNT_CONNECT: .unreachable(reason: report.unreachable)
    case CURLE_OPERATION_TIMEDOUT: isConnected ? .timedOut : lateConnection
    case CURLE_PEER_FAILED_VERIFICATION: .untrusted(reason: report.distrust)
    case CURLE_SSL_CACERT_BADFILE: .untrusted(reason: unreadableRoots)
    case CURLE_SSL_CONNECT_ERROR: handshake
    case CURLE_SSL_CERTPROBLEM: .unsendable(reason: "the client's certificate can't be used")
    // TLS 1.3 answers the client's certificate only after the handshake.
    case CURLE_RECV_ERROR where rejectsClient, CURLE_SEND_ERROR where rejectsClient: clientRejected
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_OUT_OF_MEMORY: .malformed
    case CURLE_RECV_ERROR where report.says("chunked-encoding", "Too large response headers"): .malformed
    default: .closed
    }
  }

  /// A connection is given up after some seconds, or with the time for the whole.
  private var lateConnection: HTTPFailure {
    if case .total(let seconds) = transfer.message.timeout, seconds <= Transfer.connectTimeout { return .timedOut }
    return .unreachable(reason: HandleReport.noAnswer)
  }

  private var unreadableRoots: String {
    guard let file = transfer.rootsFile else { return "the system's roots can't be read" }
    return "no certificate can be read from SSL_CERT_FILE (\(file))"
  }

  private var clientRejected: HTTPFailure {
    .untrusted(
      reason: transfer.message.identity == nil
        ? "the server asks for a client certificate" : "the server does not accept the client certificate"
    )
  }

  /// `true` if the server ended TLS for the client's certificate, or for want of one, by OpenSSL's words for its alert
  /// (RFC 8446, section 6.2).
  private var rejectsClient: Bool {
    report.says(
      "alert certificate required",
      "alert bad certificate",
      "alert certificate unknown",
      "alert certificate expired",
      "alert certificate revoked",
      "alert unsupported certificate",
      "alert unknown ca",
      "alert access denied"
    ) || transfer.message.identity != nil && report.says("alert handshake failure")
  }

  private var handshake: HTTPFailure {
    if rejectsClient { return clientRejected }
    if report.saysNoTLS {
      return .untrusted(reason: "the server does not speak TLS there")
    }
    if report.saysOldTLS {
      return .untrusted(reason: "the server has no TLS version from 1.2 on")
    }
    if report.says("SSL_ERROR_SYSCALL", "unexpected eof", "reset by peer") { return .closed }
    return .untrusted(reason: "the TLS handshake failed")
  }

  /// The reason for the proxy's failure, if it is the proxy that failed.
  func reason(of proxy: Proxy) -> String? {
    switch report.code {
    case CURLE_COULDNT_RESOLVE_PROXY: return "the name of \(proxy) can't be resolved"
    case CURLE_COULDNT_CONNECT: return "\(proxy) can't be reached"
    case CURLE_OPERATION_TIMEDOUT where !isConnected: return "\(proxy) did not answer in time"
    case CURLE_PROXY: return "\(proxy) refused to connect to the server"
    default: break
    }
    switch report.number(CURLINFO_HTTP_CONNECTCODE) {
    case 407 where proxy.credentials == nil: return "\(proxy) asks for a user name and a password"
    case 407: return "\(proxy) does not accept the user name and the password"
    case 300...: return "\(proxy) refused to connect to the server"
    default: return nil
    }
  }
}

extension Transfer {
  /// Makes the libcurl handle: everything that libcurl might do by itself is off.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if libcurl does not know an option.
  func open() throws(HTTPFailure) {
    guard let handle = unsafe library.functions.pointee.easy_init() else {
      throw .unsendable(reason: "libcurl has no memory")
    }
    unsafe easy = handle
    var options = unsafe HandleOptions(library, handle, memory)
    setTarget(&options)
    setLimits(&options)
    setTrust(&options)
    setProxy(&options)
    setBody(&options)
    options.setHead(message.lines)
    // A proxy is told nothing of them.
    options.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    setCallbacks(&options)
    guard options.wereTaken else { throw CurlTable.tooOld }
  }

  private func setTarget(_ options: inout HandleOptions) {
    options.set(CURLOPT_URL, "\(message.url.origin)/")
    if let query = message.secretQuery {
      options.set(CURLOPT_REQUEST_TARGET, Secret(joining: [Secret("\(message.url.path)?"), query]))
    } else {
      options.set(CURLOPT_REQUEST_TARGET, message.target)
    }
    options.set(CURLOPT_CUSTOMREQUEST, message.method)
    // From 7.85 on; the address has no other scheme, and nothing is followed.
    options.prefer(CURLOPT_PROTOCOLS_STR, "http,https")
    options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    if message.method == "HEAD" { options.set(CURLOPT_NOBODY, 1) }
  }

  private func setLimits(_ options: inout HandleOptions) {
    let extra = usesDevice ? Self.deviceTimeout : 0
    switch message.timeout {
    case .total(let seconds):
      options.set(CURLOPT_TIMEOUT_MS, milliseconds(seconds + extra))
      options.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(seconds, Self.connectTimeout) + extra))
    case .each(let seconds):
      options.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(seconds, Self.connectTimeout) + extra))
      // Each transfer has buffers of its own, and free(3) wipes the whole of them: one of 64 KiB for each of fifty
      // would put everything else out of the processor's cache.
      options.set(CURLOPT_BUFFERSIZE, 1 << 15)
      if let upload {
        let size = min(max(upload.length ?? 1 << 18, 1 << 14), 1 << 18)
        options.set(CURLOPT_UPLOAD_BUFFERSIZE, Int(size))
      }
    }
    // Long enough for the second request of a nonce exchange, and shorter than any server's own
    // patience: a request that may be sent once only must not meet a connection that is closing.
    options.set(CURLOPT_MAXAGE_CONN, 3)
  }

  /// The time limit for a connection, with its proxy's and its TLS handshake, in seconds.
  static let connectTimeout = 10

  private func setTrust(_ options: inout HandleOptions) {
    guard message.url.origin.scheme == .https else { return }
    unsafe options.setTrust(in: message.url.origin, rootsFile: rootsFile, info: CloseNotifyMonitor.callback)
    setIdentity(&options)
  }

  private func setProxy(_ options: inout HandleOptions) {
    // Chosen by acct: libcurl would read the environment.
    options.set(CURLOPT_NOPROXY, "")
    guard case .proxied(let proxy) = route else { return options.set(CURLOPT_PROXY, "") }
    let host = proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host
    switch proxy.kind {
    case .http:
      options.set(CURLOPT_PROXY, "http://\(host)")
      options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
      options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    case .socks5: options.set(CURLOPT_PROXY, "socks5h://\(host)")
    }
    options.set(CURLOPT_PROXYPORT, Int(proxy.port))
    if let credentials = proxy.credentials {
      options.set(CURLOPT_PROXYAUTH, 1)
      options.set(CURLOPT_PROXYUSERNAME, credentials.user)
      options.set(CURLOPT_PROXYPASSWORD, credentials.password)
    }
  }

  private func setBody(_ options: inout HandleOptions) {
    switch message.body {
    case .none:
      // These say that there is none; the others need not (RFC 9110, section 8.6).
      guard ["POST", "PUT", "PATCH"].contains(message.method) else { return }
      setBytes(Secret(""), &options)
    case .bytes(let bytes): setBytes(bytes, &options)
    case .source:
      options.set(CURLOPT_UPLOAD, 1)
      options.set(CURLOPT_INFILESIZE_LARGE, size: upload?.length ?? -1)
    }
  }

  private func setBytes(_ bytes: Secret, _ options: inout HandleOptions) {
    options.setBody(bytes)
    options.set(CURLOPT_CUSTOMREQUEST, message.method)
  }
}

private func milliseconds(_ seconds: Int) -> Int {
  // Beyond what libcurl takes there is no difference any more.
  min(seconds, 1 << 20) * 1000
}
