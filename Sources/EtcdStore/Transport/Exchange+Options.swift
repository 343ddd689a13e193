import AcctModel
import Secrets
import AcctPorts
import CLibCurl
import Curl
import PrivateFiles

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
