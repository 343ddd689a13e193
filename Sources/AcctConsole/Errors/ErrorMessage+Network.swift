import AcctEngine
import AcctModel
package import AcctPorts

extension ErrorMessage {
  /// There was no answer; the credentials are unchanged.
  init(_ error: NetworkError) {
    switch error {
    case .http(.inside, let origin):
      self = .code("insideAddress", .refused)
        .saying("refused: a server names \(origin), which is an address of this machine or a private network")
        .hint("only you may name such an address, as with --issuer or ACCT_PLC_URL")
    case .http(.device(let failure), _), .renewalUnanswered(.device(let failure), _): self.init(failure, .pkcs11)
    case .http(.unresolved(let host), let origin):
      // Typed wrongly, or this machine is not connected; waiting mends neither.
      self = .code("network", .network)
        .saying("\(origin): \(words(for: .unresolved(host: host)))")
        .hint("check the address, and the network; nothing was changed")
    case .http(.untrusted(let reason), let origin):
      self = .code("network", .network)
        .saying("\(origin): \(words(for: .untrusted(reason: reason)))")
        .hint("nothing was sent; `acct doctor` checks this machine's clock")
    case .http(let failure, let origin):
      let status = ExitStatus(failure)
      self = .code("network", status)
        .saying("\(origin): \(words(for: failure))")
        .hint(status == .network ? "nothing was wrong with the account; try again" : nil)
    case .renewalUnanswered(let failure, let origin):
      self = .code("network", ExitStatus(failure))
        .saying("\(origin): \(words(for: failure))")
        .hint(
          "the server may have renewed the session before the answer was lost, and then it has ended; "
            + "try again to find out"
        )
    case .dns(.badServer(let text), _):
      self = .code("usage", .usage).saying("ACCT_DNS_SERVER is not an IP address and a port: \(text)")
    case .dns(_, let name):
      self = .code("network", .network)
        .saying("no resolver answered for \(name)")
        .hint("nothing was wrong with the account; try again")
    case .xml(let reason):
      self = .code("xmlUnavailable", .failed)
        .saying("the answer is XML: \(reason)")
        .hint("install the package libexpat1")
    case .offline: self = .code("offline", .network).saying("--offline does not allow renewing it")
    }
  }
}

extension ExitStatus {
  /// The exit status for a request without an answer.
  fileprivate init(_ failure: HTTPFailure) {
    self =
      switch failure {
      case .cancelled: .cancelled
      case .malformed, .tooLarge: .serverFailed
      case .unresolved, .unreachable, .untrusted, .timedOut, .closed, .unsendable, .source, .inside, .proxy, .withheld,
        .device:
        .network
      }
  }
}

package func words(for failure: HTTPFailure) -> String {
  switch failure {
  case .unresolved(let host): "the name \(host) can't be resolved"
  case .unreachable(let reason): "can't connect: \(reason)"
  case .untrusted(let reason): "the TLS connection is not trusted: \(reason)"
  case .timedOut: "timed out without an answer"
  case .closed: "the connection was closed before the answer arrived"
  case .malformed: "the answer is not HTTP"
  case .tooLarge(let limit): "the answer is larger than \(limit / 1024) KiB"
  case .cancelled: "cancelled"
  case .unsendable(let reason): "the request can't be sent: \(reason)"
  case .source(.failed(let name, let reason)): "the body can't be read from \(name): \(reason)"
  case .source(.tooLarge(let name, _)): "the body can't be read from \(name): too large"
  case .inside(let host): "\(host) is an address of this machine or a private network"
  case .withheld: "the request was not sent: the connection took too long"
  case .device(let failure): ErrorMessage(failure, .pkcs11).text
  case .proxy(let reason): "the proxy that the environment names can't be used: \(reason)"
  }
}
