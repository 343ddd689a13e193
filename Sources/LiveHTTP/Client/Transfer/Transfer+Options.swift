import AcctModel
import AcctPorts
import CLibCurl

extension Transfer {
  /// Makes the libcurl handle: everything that libcurl might do by itself is off.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if libcurl does not know an option.
  func open() throws(HTTPFailure) {
    guard let handle = unsafe library.table.pointee.easy_init() else {
      throw .unsendable(reason: "libcurl has no memory")
    }
    unsafe easy = handle
    let options = unsafe CurlOptions(table: library.table, easy: handle)
    unsafe try options.set(CURLOPT_ERRORBUFFER, pointer: resources.errorBuffer.baseAddress)
    try setTarget(options)
    try setLimits(options)
    try setTrust(options)
    try setProxy(options)
    try setBody(options)
    resources.list(message.lines)
    unsafe try options.set(CURLOPT_HTTPHEADER, pointer: resources.lines)
    // A proxy is told nothing of them.
    try options.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    try setCallbacks(options)
  }

  private func setTarget(_ options: CurlOptions) throws(HTTPFailure) {
    try options.set(CURLOPT_URL, "\(message.url.origin)/")
    try options.set(CURLOPT_REQUEST_TARGET, message.target)
    try options.set(CURLOPT_CUSTOMREQUEST, message.method)
    // From 7.85 on; the address has no other scheme, and nothing is followed.
    options.prefer(CURLOPT_PROTOCOLS_STR, "http,https")
    try options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    if message.method == "HEAD" { try options.set(CURLOPT_NOBODY, 1) }
  }

  private func setLimits(_ options: CurlOptions) throws(HTTPFailure) {
    // Signals belong to the process.
    try options.set(CURLOPT_NOSIGNAL, 1)
    // From 7.87 on: a cancelled request does not wait for a name that is slow to resolve.
    options.prefer(CURLOPT_QUICK_EXIT, 1)
    switch message.timeout {
    case .total(let seconds):
      try options.set(CURLOPT_TIMEOUT_MS, milliseconds(seconds))
      try options.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(seconds, Self.connectTimeout)))
    case .each(let seconds):
      try options.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(seconds, Self.connectTimeout)))
      // Each transfer has buffers of its own, and free(3) wipes the whole of them: one of 64 KiB for each of fifty
      // would put everything else out of the processor's cache.
      try options.set(CURLOPT_BUFFERSIZE, 1 << 15)
      if let upload {
        let size = min(max(upload.length ?? 1 << 18, 1 << 14), 1 << 18)
        try options.set(CURLOPT_UPLOAD_BUFFERSIZE, Int(size))
      }
    }
    // Long enough for the second request of a nonce exchange, and shorter than any server's own
    // patience: a request that may be sent once only must not meet a connection that is closing.
    try options.set(CURLOPT_MAXAGE_CONN, 3)
  }

  /// The time limit for a connection, with its proxy's and its TLS handshake, in seconds.
  static let connectTimeout = 10

  private func setTrust(_ options: CurlOptions) throws(HTTPFailure) {
    guard message.url.origin.scheme == .https else { return }
    try options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    if let rootsFile {
      try options.set(CURLOPT_CAINFO, rootsFile)
      try options.set(CURLOPT_CAPATH, nil as String?)
    }
    let host = message.url.origin.unbracketedHost
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isAddress = IPAddress(host) != nil
    let expected = unsafe resources.expectedHost(name, isAddress: isAddress, library)
    let code = unsafe acct_curl_expect_host(library.table, easy, expected)
    guard code == CURLE_OK else { throw CurlOptions.tooOld }
  }

  private func setProxy(_ options: CurlOptions) throws(HTTPFailure) {
    // Chosen by acct: libcurl would read the environment.
    try options.set(CURLOPT_NOPROXY, "")
    guard case .proxied(let proxy) = route else { return try options.set(CURLOPT_PROXY, "") }
    let host = proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host
    switch proxy.kind {
    case .http:
      try options.set(CURLOPT_PROXY, "http://\(host)")
      try options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
      try options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    case .socks5: try options.set(CURLOPT_PROXY, "socks5h://\(host)")
    }
    try options.set(CURLOPT_PROXYPORT, Int(proxy.port))
    if let credentials = proxy.credentials {
      try options.set(CURLOPT_PROXYAUTH, 1)
      try options.set(CURLOPT_PROXYUSERNAME, credentials.user)
      try options.set(CURLOPT_PROXYPASSWORD, credentials.password)
    }
  }

  private func setBody(_ options: CurlOptions) throws(HTTPFailure) {
    switch message.body {
    case .none:
      // These say that there is none; the others need not (RFC 9110, section 8.6).
      guard ["POST", "PUT", "PATCH"].contains(message.method) else { return }
      try setBytes(Secret(""), options)
    case .bytes(let bytes): try setBytes(bytes, options)
    case .source:
      try options.set(CURLOPT_UPLOAD, 1)
      try options.set(CURLOPT_INFILESIZE_LARGE, size: upload?.length ?? -1)
    }
  }

  private func setBytes(_ bytes: Secret, _ options: CurlOptions) throws(HTTPFailure) {
    try options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(bytes.count))
    unsafe try options.set(CURLOPT_POSTFIELDS, pointer: resources.bytes(bytes).baseAddress)
    try options.set(CURLOPT_CUSTOMREQUEST, message.method)
  }
}

/// Sets options of a handle, and checks every result.
@safe struct CurlOptions {
  let table: UnsafePointer<acct_curl>
  let easy: UnsafeMutableRawPointer

  static let tooOld = HTTPFailure.unsendable(reason: "libcurl.so.4 is too old")

  func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
    try check(unsafe acct_curl_set_long(table, easy, option, value))
  }
  func set(_ option: CURLoption, size: Int64) throws(HTTPFailure) {
    try check(unsafe acct_curl_set_size(table, easy, option, curl_off_t(size)))
  }
  func set(_ option: CURLoption, _ value: String?) throws(HTTPFailure) {
    try check(unsafe acct_curl_set_string(table, easy, option, value))
  }
  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(HTTPFailure) {
    try check(unsafe acct_curl_set_pointer(table, easy, option, pointer))
  }

  /// Sets an option that older libraries lack, and that nothing depends on.
  func prefer(_ option: CURLoption, _ value: Int) { _ = unsafe acct_curl_set_long(table, easy, option, value) }
  func prefer(_ option: CURLoption, _ value: String) { _ = unsafe acct_curl_set_string(table, easy, option, value) }

  func check(_ code: CURLcode) throws(HTTPFailure) {
    guard code == CURLE_OK else { throw Self.tooOld }
  }
}

private func milliseconds(_ seconds: Int) -> Int {
  // Beyond what libcurl takes there is no difference any more.
  min(seconds, 1 << 20) * 1000
}
