import AcctModel
import AcctPorts
import CLibCurl
import LoadedCurl

extension Exchange {
  /// Sets the handle's options: everything that libcurl might do by itself is off.
  func set(_ options: inout HandleOptions, within limit: Duration) throws(Setback) {
    unsafe options.set(CURLOPT_ERRORBUFFER, pointer: memory.errorBuffer.baseAddress)
    setLimits(&options, limit)
    setTrust(&options)
    setCallbacks(&options)
    try setRequest(&options, limit)
    guard options.wereTaken else {
      throw Setback(.failed(reason: "libcurl.so.4 is too old, or built without HTTP/2"), .nothing)
    }
  }

  private func setLimits(_ options: inout HandleOptions, _ limit: Duration) {
    // Signals belong to the process.
    options.set(CURLOPT_NOSIGNAL, 1)
    // From 7.87 on: a call that is over does not wait for a name that is slow to resolve.
    options.prefer(CURLOPT_QUICK_EXIT, 1)
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

  private func setTrust(_ options: inout HandleOptions) {
    let identity = request.identity
    options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    if let authority = identity.authority {
      options.set(CURLOPT_CAINFO, authority)
      options.set(CURLOPT_CAPATH, nil as String?)
    }
    if let certificate = identity.certificate {
      options.set(CURLOPT_SSLCERT, certificate)
      // The key may be in the same file.
      options.set(CURLOPT_SSLKEY, identity.key ?? certificate)
      // OpenSSL would ask at the terminal for the passphrase of a key that has one.
      options.set(CURLOPT_KEYPASSWD, "")
    }
    let host = unsafe memory.expectedHost(of: request.member.origin)
    options.note(unsafe acct_curl_expect_host(options.curl.functions, options.easy, host))
  }

  /// The head and the body of gRPC over HTTP/2.
  private func setRequest(_ options: inout HandleOptions, _ limit: Duration) throws(Setback) {
    options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    options.set(CURLOPT_URL, "\(request.member.origin)\(request.method.rawValue)")
    let frame = Secret(joining: [Secret(GRPCFrame.prefix(of: request.message.count)), request.message])
    options.set(CURLOPT_POST, 1)
    options.note(
      unsafe acct_curl_set_size(
        options.curl.functions,
        options.easy,
        CURLOPT_POSTFIELDSIZE_LARGE,
        curl_off_t(frame.count)
      )
    )
    unsafe options.set(CURLOPT_POSTFIELDS, pointer: memory.bytes(frame))
    var lines = [
      Secret("content-type: application/grpc"), Secret("te: trailers"),
      // A member without a leader says so at once; it would wait for one otherwise.
      Secret("hasleader: true"),
      // A request that has not been carried out by then won't be.
      Secret("grpc-timeout: \(limit.milliseconds)m"),
      Secret("User-Agent: acct"), Secret("Accept:"), Secret("Expect:"),
    ]
    // Of the names that etcd knows, the one that is never put into a table of HTTP/2's compression.
    if let token = request.token { lines.append(Secret(joining: [Secret("authorization: "), token])) }
    for line in lines where !memory.add(line) { throw Self.noMemory }
    unsafe options.set(CURLOPT_HTTPHEADER, pointer: memory.lines)
  }
}

extension Duration {
  /// Rounded up, and at least 1: libcurl takes 0 for no limit.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
