import AcctModel
import AcctPorts
import CLibCurl
import Glibc

extension Transfer {
  /// Translates the end of a transfer into this room's errors; `nil` is success.
  ///
  /// libcurl's own words are read only if a code says too little, and are never passed on.
  func failure(_ code: CURLcode) -> HTTPFailure? {
    let sentCloseNotify = unsafe session.map { unsafe CloseNotifyMonitor.heard(from: $0) } ?? true
    if let failure { return failure }
    if code == CURLE_OK && !sentCloseNotify { return .closed }
    let isEnough = code == CURLE_OK || code == CURLE_ABORTED_BY_CALLBACK
    guard !isEnough else { return parser.isComplete ? nil : .closed }
    let outcome = Outcome(code: code, transfer: self)
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
  let code: CURLcode
  let transfer: Transfer
  private var library: CurlLibrary { transfer.library }

  private func number(_ info: CURLINFO) -> Int {
    guard let easy = unsafe transfer.easy else { return 0 }
    return unsafe acct_curl_get_long(library.table, easy, info)
  }

  private func says(_ words: String...) -> Bool {
    let said = transfer.resources.errorText
    return words.contains { said.contains($0) }
  }

  var failure: HTTPFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .unresolved(host: transfer.message.url.origin.host)
    case CURLE_COULDNT_CONNECT where transfer.metInside:
      .inside(host: transfer.message.url.origin.host)
    case CURLE_COULDNT_CONNECT: unreachable(Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)))
    case CURLE_OPERATION_TIMEDOUT: isConnected ? .timedOut : lateConnection
    case CURLE_PEER_FAILED_VERIFICATION: .untrusted(reason: distrust)
    case CURLE_SSL_CACERT_BADFILE: .untrusted(reason: unreadableRoots)
    case CURLE_SSL_CONNECT_ERROR: handshake
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_OUT_OF_MEMORY: .malformed
    case CURLE_RECV_ERROR where says("chunked-encoding", "Too large response headers"): .malformed
    default: .closed
    }
  }

  private var isConnected: Bool {
    guard let easy = unsafe transfer.easy else { return true }
    return unsafe acct_curl_get_size(library.table, easy, CURLINFO_PRETRANSFER_TIME_T) > 0
  }

  /// A connection is given up after some seconds, or with the time for the whole.
  private var lateConnection: HTTPFailure {
    if case .total(let seconds) = transfer.message.timeout, seconds <= Transfer.connectTimeout { return .timedOut }
    return .unreachable(reason: noAnswer)
  }

  /// X509_V_ERR_…, of OpenSSL's x509_vfy.h.
  private var distrust: String {
    switch number(CURLINFO_SSL_VERIFYRESULT) {
    case 9: "the certificate is not valid yet"
    case 10: "the certificate has expired"
    case 0, 62, 64: "the certificate is for another host"
    case 2, 18, 19, 20, 21, 27: "the certificate is self-signed, or its issuer is not trusted"
    default: "the certificate is not trusted"
    }
  }

  private var unreadableRoots: String {
    guard let file = transfer.rootsFile else { return "the system's roots can't be read" }
    return "no certificate can be read from SSL_CERT_FILE (\(file))"
  }

  private var handshake: HTTPFailure {
    if says("wrong version number", "packet length too long", "record layer failure") {
      return .untrusted(reason: "the server does not speak TLS there")
    }
    if says("protocol version", "unsupported protocol") {
      return .untrusted(reason: "the server has no TLS version from 1.2 on")
    }
    if says("SSL_ERROR_SYSCALL", "unexpected eof", "reset by peer") { return .closed }
    return .untrusted(reason: "the TLS handshake failed")
  }

  private func unreachable(_ number: Int32) -> HTTPFailure {
    switch number {
    case ECONNREFUSED: .unreachable(reason: "the connection was refused")
    case ENETUNREACH: .unreachable(reason: "the network is unreachable")
    case EHOSTUNREACH: .unreachable(reason: "there is no route to the host")
    case ETIMEDOUT, 0: .unreachable(reason: noAnswer)
    case EACCES, EPERM: .unreachable(reason: "the system does not permit the connection")
    default: .unreachable(reason: "system error \(number)")
    }
  }

  /// The reason for the proxy's failure, if it is the proxy that failed.
  func reason(of proxy: Proxy) -> String? {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: return "the name of \(proxy) can't be resolved"
    case CURLE_COULDNT_CONNECT: return "\(proxy) can't be reached"
    case CURLE_OPERATION_TIMEDOUT where !isConnected: return "\(proxy) did not answer in time"
    case CURLE_PROXY: return "\(proxy) refused to connect to the server"
    default: break
    }
    switch number(CURLINFO_HTTP_CONNECTCODE) {
    case 407 where proxy.credentials == nil: return "\(proxy) asks for a user name and a password"
    case 407: return "\(proxy) does not accept the user name and the password"
    case 300...: return "\(proxy) refused to connect to the server"
    default: return nil
    }
  }
}

private let noAnswer = "there was no answer"
