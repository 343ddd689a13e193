import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// A request that the user makes can't be made, or was not answered well.
  init(_ error: RequestError) {
    switch error {
    case .fieldMalformed(let name):
      self.init(
        "usage",
        .usage,
        "not a header line: \(printable(name))",
        hint: "as in -H 'Accept: application/json'"
      )
    case .ownField(let name, let account):
      self.init(
        "usage",
        .usage,
        "\(name) is what \(account) signs a request with, and can't be given by hand",
        hint: "leave it out; --account makes the request as another one"
      )
    case .framingField(let name):
      self.init(
        "usage",
        .usage,
        "\(name) follows from the request, and can't be given by hand",
        hint: "leave it out"
      )
    case .bodyGone(let status, let origin):
      self.init(
        "bodyGone",
        status.map { ExitStatus(answer: $0) } ?? .failed,
        "\(origin) wants the request once more, and its body can be read only once",
        hint: "run it again, as what was missing is known now; or give the body as a file, -d @FILE"
      )
    case .deviceIDMissing(let origin):
      self.init(.deviceIDMissing(origin) as GuestError)
      // The answer stands on standard output: its status decides, as for every other.
      self.status = ExitStatus(answer: 400)
    case .brokenOff(let failure, let received):
      self.init(
        "brokenOff",
        failure == .malformed ? .serverFailed : .network,
        "the answer broke off after \(received) bytes: \(words(forEnd: failure))",
        hint: "what came of it is not all; nothing was wrong with the account"
      )
    case .answered(let status, let retryAfter, let isWorthRetrying, let origin):
      self.init(status: status, retryAfter: retryAfter, isWorthRetrying, origin)
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

  /// An answer that was written as it came, and is no success.
  private init(status: Int, retryAfter: RetryAfter?, _ isWorthRetrying: Bool, _ origin: Origin) {
    switch status {
    case 401:
      self.init(
        "signInRequired",
        ExitStatus(answer: status),
        "\(origin) answered 401: it does not take the account's credential",
        hint: "sign in again with `acct add`; the account keeps its name"
      )
    case 429:
      self.init(
        "rateLimited",
        ExitStatus(answer: status),
        "\(origin) asks to wait: too many requests",
        hint: isWorthRetrying ? "--retry N waits and tries again" : nil,
        retryAfter: retryAfter
      )
    case 500...:
      self.init(
        "serverFailed",
        ExitStatus(answer: status),
        "\(origin) failed with \(status)",
        hint: retryAfter == nil ? laterHint : nothingWrongHint,
        retryAfter: retryAfter
      )
    default:
      self.init("refusedByServer", ExitStatus(answer: status), "\(origin) answered \(status)")
    }
  }
}

extension ExitStatus {
  /// What the status of an answer means for the process.
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
  case .timedOut: "nothing came any more"
  case .malformed: "what came is not HTTP"
  default: words(for: failure)
  }
}
