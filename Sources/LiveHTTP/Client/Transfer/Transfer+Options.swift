import AcctModel
import Secrets
import AcctPorts
import CLibCurl
import Curl

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
    options.set(CURLOPT_REQUEST_TARGET, message.target)
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
