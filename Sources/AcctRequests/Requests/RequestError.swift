import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// A request of the user's can't be made, or its answer is a failure.
  init(_ error: RequestError) {
    switch error {
    case .fieldMalformed(let name):
      self.init("usage", .usage, "not a header line: \(printable(name))", hint: "as in -H 'Accept: application/json'")
    case .ownField(let name, let account):
      self.init(
        "usage",
        .usage,
        "\(name) is set by acct for \(account), and can't be given with -H",
        hint: "omit it; --account makes the request as another account"
      )
    case .framingField(let name):
      self.init("usage", .usage, "\(name) is set from the request, and can't be given with -H", hint: "leave it out")
    case .bodyGone(let status, let origin):
      self.init(
        "bodyGone",
        status.map { ExitStatus(answer: $0) } ?? .failed,
        "\(origin) asks for the request to be repeated, and its body can be read only once",
        hint:
          "run it again: acct now has what the server asked for; or give the body as a file, -d @FILE"
      )
    case .deviceIDMissing(let origin):
      self.init(.deviceIDMissing(origin) as GuestError)
      // The answer is on standard output: its status decides, as for every other.
      self.status = ExitStatus(answer: 400)
    case .tokenRejected(let replacement, let origin):
      self.init(
        "signInRequired",
        ExitStatus(answer: 401),
        "\(origin) answered 401: the server rejected the token of \(replacement.account)",
        hint: remedy(for: replacement)
      )
    case .bearerOnly(let account, let origin):
      self.init(
        "bearerOnly",
        ExitStatus(answer: 401),
        "\(origin) answered 401: it takes bearer tokens only, and the token of \(account.name) is bound to a DPoP key",
        hint: account.bearerHint ?? "name another account with --account"
      )
    case .brokenOff(let failure, let received):
      self.init(
        "brokenOff",
        failure == .malformed ? .serverFailed : .network,
        "the answer was cut off after \(received) bytes: \(words(forEnd: failure))",
        hint: "the body is incomplete; nothing was wrong with the account"
      )
    case .answered(let status, let retryAfter, let origin):
      self.init(status: status, retryAfter: retryAfter, origin)
    case .limited(let status, let retryAfter, let isWorthRetrying, let origin):
      self.init(
        "rateLimited",
        .rateLimited,
        status == 429 ? "\(origin) reports too many requests" : "\(origin) answered \(status): too many requests",
        hint: isWorthRetrying ? "--retry N waits and tries again" : "--retry waits for an hour at most",
        retryAfter: retryAfter
      )
    case .tooManyRedirects(let limit, let origin):
      self.init(
        "tooManyRedirects",
        .serverFailed,
        "\(origin) redirects once more, after \(limit) redirects that were followed"
      )
    case .redirectMalformed(let location, let origin):
      self.init(
        "badAnswer",
        .serverFailed,
        "\(origin) redirects to \(printable(String(location.prefix(200)))), which is no URL"
      )
    }
  }

  /// An answer that was written as it came, and is a failure.
  private init(status: Int, retryAfter: RetryAfter?, _ origin: Origin) {
    switch status {
    case 401:
      self.init(
        "signInRequired",
        ExitStatus(answer: status),
        "\(origin) answered 401: it does not accept the account's credential"
      )
      needsLogin = true
    case 500...:
      self.init(
        "serverFailed",
        ExitStatus(answer: status),
        "\(origin) failed with \(status)",
        hint: retryAfter == nil ? laterHint : nothingWrongHint,
        retryAfter: retryAfter
      )
    default: self.init("refusedByServer", ExitStatus(answer: status), "\(origin) answered \(status)")
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
