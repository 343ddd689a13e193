import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// The sign-in did not come to its end; nothing was stored.
  init(signingIn error: EngineError) {
    switch error {
    case .authorizationRefused(let code, let description):
      let words = [code, description].compactMap(\.self).map(printable).joined(separator: ": ")
      self.init(
        "authorizationRefused",
        .signInRequired,
        "the server did not sign you in: \(words)",
        hint: registrationHint(code, description, at: "the server")
      )
    case .untrustedCallback(let distrust):
      self.init(
        distrust.code,
        .serverFailed,
        "the callback was rejected: \(words(for: distrust))"
      )
    case .deviceCodeExpired:
      self.init(
        "deviceCodeExpired",
        .signInRequired,
        "the code expired before it was entered",
        hint: "run the same command again for a new one"
      )
    case .callbackTimedOut(let seconds):
      self.init(
        "callbackTimedOut",
        .signInRequired,
        "the browser did not come back within \(duration(seconds))",
        hint: "run the same command again; --wait SECONDS waits longer"
      )
    case .browserNeeded:
      self.init(
        "browserNeeded",
        .signInRequired,
        "this sign-in needs a browser, and --no-input does not allow opening one",
        hint: "leave out --no-input; --issuer URL --device signs in without a browser here"
      )
    case .clientIDNeeded(let issuer):
      self.init(
        "clientIDNeeded",
        .usage,
        "\(issuer) needs to know the client: --client-id is missing",
        hint: clientHint("\(issuer.url.origin)")
      )
    case .listen(.failed(let port, let reason)):
      self.init(
        "listenFailed",
        .failed,
        "can't listen on \(port.map { "port \($0)" } ?? "a free port"): \(reason)",
        hint: "choose another port"
      )
    case .listen(.unusableSocket(let path, let reason)):
      self.init("listenFailed", .failed, "can't listen at \(path): \(reason)")
    default: self.init("keyGeneration", .failed, "the DPoP key could not be generated")
    }
  }
}

/// The redirect address that a client is registered with.
private let redirectAddress = "http://127.0.0.1/callback"

private func clientHint(_ server: String) -> String {
  "register a client at \(server), with the redirect address \(redirectAddress); give its id with --client-id"
}

/// What to do where the client is not registered as it must be.
func registrationHint(
  _ code: String,
  _ description: String?,
  at server: String
) -> String? {
  if ["invalid_client", "unauthorized_client"].contains(code) { return clientHint(server) }
  let isRedirect = [code, description ?? ""].contains { $0.lowercased().contains("redirect") }
  return isRedirect
    ? "register \(redirectAddress) as a redirect address of the client; if the server compares ports, "
      + "http://127.0.0.1:PORT/callback, and give --redirect-port PORT"
    : nil
}

private func words(for distrust: AuthorizationResponse.Distrust) -> String {
  switch distrust {
  case .issuerMissing: "it has no iss, which this server always sends"
  case .issuerMismatch: "its iss names another server"
  case .empty: "it has neither a code nor an error"
  }
}
