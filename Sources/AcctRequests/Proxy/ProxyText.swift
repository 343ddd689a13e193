import AcctConsole
import AcctModel

/// The words of the proxy's own answer; `nil` for a request that could not be made.
@Sendable func words(for refusal: ProxyRefusal?) -> String {
  switch refusal {
  case .secretMissing: "the path does not begin with the secret of this run"
  case .fromPage: "requests of web pages are not passed on"
  case .foreignHost: "the proxy does not serve this Host"
  case .malformed: "this request can't be passed on"
  case .tunnel: "there is no tunnel here: nothing in it could be signed"
  case .upgrade: "other protocols, such as WebSocket, are not passed on"
  case nil: "acct could not make this request; its own output says why"
  }
}

/// Why a proxy is without a fence, though the kernel has one.
package func words(for obstacle: ProxyFence.Obstacle) -> String {
  switch obstacle {
  case .module(let account): "a key of \(account) is in a token, whose module reads files of its own"
  case .program(let account): "the token of \(account) starts from a program, which reads files of its own"
  case .sharedKeyring: "the engine of the shared keyring is reached by a library that reads files of its own"
  case .tokenFile(let paths):
    "\(paths.map { printable($0) }.joined(separator: ", ")) lies directly in the home folder, which would be open with it"
  }
}
