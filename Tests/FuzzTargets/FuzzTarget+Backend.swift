import AcctApps
import AcctModel
import Secrets
import AcctProtocol
import AcctRequests
import StrictJSON

/// An address that is delivered as an app's callback.
func appCallbackViolation(_ bytes: [UInt8]) -> String? {
  let rule = CallbackRule(expected: nil, required: ["code"])
  guard let address = try? CallbackAddress(text(bytes)), (try? rule.read(text(bytes))) != nil else { return nil }
  return address.place.isAppScheme || address.place.isLoopback
    ? nil : "a callback of neither an app nor loopback"
}

/// What a backend answers about a session, and the cookie that comes with it.
func sessionViolation(_ bytes: [UInt8]) -> String? {
  let answer = ServerAnswer(status: 200, contentType: "application/json", body: Secret(bytes), redacting: .none)
  switch SessionAnswer(answer) {
  case .ended, .exceptionThrown: return "a session that a 200 has ended"
  case .valid, .refused, .unanswered: break
  }
  let fields = [(name: "Set-Cookie", value: text(bytes))]
  guard let session = RotatedCookie.session(in: fields, at: .epoch) else { return nil }
  let isLine = session.token.secret.withBytes { span in
    span.indices.allSatisfy { (0x21...0x7E).contains(span[$0]) && span[$0] != UInt8(ascii: ";") }
  }
  return isLine ? nil : "a session that could write header lines"
}

/// A request line and fields that a program sends to the proxy: the first line is the target, the
/// second the `Host`, the rest fields.
func proxyViolation(_ bytes: [UInt8]) -> String? {
  guard let origin = try? Origin("https://pds.example") else { return "no origin" }
  let lines = text(bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  let fields = [(name: "Host", value: lines.count > 1 ? lines[1] : "")]
  for direct in [nil, origin] {
    let gate = ProxyGate(origins: [origin], secret: Secret("s3cret"), direct: direct)
    guard
      let url = try? gate.url(method: "GET", target: lines[0], fields: fields, port: 4711)
    else { continue }
    guard url.origin == origin else { return "a request to another origin" }
    guard lines[0].contains("/s3cret/") else { return "a request without the secret" }
    let names = ["pds.example", "pds.example:443"] + (direct == nil ? [] : ownNames)
    guard names.contains(fields[0].value.lowercased()) else { return "a request for another host" }
  }
  return nil
}

/// The address of the proxy's port, as clients write it.
private let ownNames = ["127.0.0.1:4711", "localhost:4711"]
