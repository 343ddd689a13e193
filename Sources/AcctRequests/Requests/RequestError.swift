import AcctConsole
package import AcctEngine
package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A failure of a request that the user makes.
package enum RequestError: Error, Sendable {
  /// Not a header line; the text before its colon, since the text after it may be a secret.
  case fieldMalformed(String)
  /// The account writes this field.
  case ownField(name: String, account: AccountName)
  /// The transport writes this field.
  case framingField(name: String)
  /// The server requires the request again, with a response of this status, and a part of the body is no longer
  /// available.
  case bodyGone(status: Int?, Origin)
  /// 401 to a token that is bound to a key, with a challenge for a bearer token alone.
  indirect case bearerOnly(Account, Origin)
  /// It needs an authorization that only a new sign-in can obtain.
  indirect case stepUp(StepUp)
  /// The response's body ended too early, after so many bytes.
  case brokenOff(HTTPFailure, received: Int64)
  /// The server's response, which has been written unchanged; when it accepts another request.
  case answered(status: Int, retryAfter: RetryAfter?, Origin)
  /// The same where a rate limit refused the request; and whether a retry would wait for the next one.
  case limited(status: Int, retryAfter: RetryAfter?, isWorthRetrying: Bool, Origin)
  /// A response that redirects after the limit of redirects was reached.
  case tooManyRedirects(limit: Int, Origin)
  /// The response redirects to something that is no URL; the value of `Location`.
  case redirectMalformed(location: String, Origin)
  /// The input to `observe` is not the head of a response.
  case nothingObserved
}

extension EngineError {
  /// The failure of a use case.
  package static func request(_ error: RequestError) -> EngineError { .told(Told(error, ErrorMessage(error))) }

  /// The failure, if it is one of these.
  package var request: RequestError? { if case .told(let told) = self { told.failure as? RequestError } else { nil } }
}

extension ErrorMessage {
  /// A request of the user's can't be made, or its answer is a failure.
  init(_ error: RequestError) {
    switch error {
    case .fieldMalformed(let name):
      self = .code("usage", .usage)
        .saying("not a header line: \(printable(name))")
        .hint("as in -H 'Accept: application/json'")
    case .ownField(let name, let account):
      self = .code("usage", .usage)
        .saying("\(name) is set by acct for \(account), and can't be given with -H")
        .hint("omit it; --account makes the request as another account")
    case .framingField(let name):
      self = .code("usage", .usage)
        .saying("\(name) is set from the request, and can't be given with -H")
        .hint("leave it out")
    case .bodyGone(let status, let origin):
      self = .code("bodyGone", status.map { ExitStatus(answer: $0) } ?? .failed)
        .saying("\(origin) asks for the request to be repeated, and its body can be read only once")
        .hint("run it again: acct now has what the server asked for; or give the body as a file, -d @FILE")
    case .bearerOnly(let account, let origin):
      self = .code("bearerOnly", ExitStatus(answer: 401))
        .saying(
          "\(origin) answered 401: it takes bearer tokens only, and the token of \(account.name) is bound to a DPoP key"
        )
        .hint(account.bearerHint ?? "name another account with --account")
    case .brokenOff(let failure, let received):
      self = .code("brokenOff", failure == .malformed ? .serverFailed : .network)
        .saying("the answer was cut off after \(received) bytes: \(words(forEnd: failure))")
        .hint("the body is incomplete; nothing was wrong with the account")
    case .stepUp(let stepUp): self.init(stepUp)
    case .nothingObserved:
      self = .code("nothingObserved", .badInput)
        .saying("there are no response headers on standard input")
        .hint("`curl -D -` prints them")
    case .answered(let status, let retryAfter, let origin):
      self.init(status: status, retryAfter: retryAfter, origin)
    case .limited(let status, let retryAfter, let isWorthRetrying, let origin):
      self = .code("rateLimited", .rateLimited)
        .saying(
          status == 429 ? "\(origin) reports too many requests" : "\(origin) answered \(status): too many requests"
        )
        .hint(isWorthRetrying ? "--retry N waits and tries again" : "--retry waits for an hour at most")
        .retryAfter(retryAfter)
    case .tooManyRedirects(let limit, let origin):
      self = .code("tooManyRedirects", .serverFailed)
        .saying("\(origin) redirects once more, after \(limit) redirects that were followed")
    case .redirectMalformed(let location, let origin):
      self = .code("badAnswer", .serverFailed)
        .saying("\(origin) redirects to \(printable(String(location.prefix(200)))), which is no URL")
    }
  }

  /// An answer that was written as it came, and is a failure.
  private init(status: Int, retryAfter: RetryAfter?, _ origin: Origin) {
    switch status {
    case 401:
      self = .code("signInRequired", ExitStatus(answer: status))
        .saying("\(origin) answered 401: it does not accept the account's credential")
      needsLogin = true
    case 500...:
      self = .code("serverFailed", ExitStatus(answer: status))
        .saying("\(origin) failed with \(status)")
        .hint(retryAfter == nil ? laterHint : nothingWrongHint)
        .retryAfter(retryAfter)
    default: self = .code("refusedByServer", ExitStatus(answer: status)).saying("\(origin) answered \(status)")
    }
  }
}

extension ExitStatus {
  /// The exit status for the status of an answer.
  init(answer status: Int) {
    self =
      switch status {
      case ..<400: .done
      case 401: .signInRequired
      case 429: .rateLimited
      case 500...: .serverFailed
      default: .failed
      }
  }
}

private func words(forEnd failure: HTTPFailure) -> String {
  switch failure {
  case .closed: "the connection was closed"
  case .timedOut: "no more data arrived in time"
  case .malformed: "the data is not HTTP"
  case .unresolved, .unreachable, .untrusted, .tooLarge, .cancelled, .unsendable, .source, .inside, .proxy, .withheld,
    .device:
    words(for: failure)
  }
}
