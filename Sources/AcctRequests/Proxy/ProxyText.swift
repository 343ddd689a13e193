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
