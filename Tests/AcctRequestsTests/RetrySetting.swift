import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import AcctRequests

/// Machines in every state, every event, and short names of what is done about them.
struct RetrySetting {
  typealias State = RetryStateMachineTests.State

  private let origin: Origin
  let target: HTTPURL
  private let cause = EngineError.key(.proof(.libraryFailed))
  private let elsewhere = EngineError.request(.fieldMalformed("elsewhere"))

  init() throws {
    origin = try Origin("https://pds.example")
    target = try HTTPURL("https://pds.example/next")
  }

  /// A machine that nothing has happened to.
  func machine(
    _ method: String = "GET",
    retries: Int = 2,
    follows: Bool = true,
    hasBody: Bool = false,
    usesProofs: Bool = true,
    canRenew: Bool = true
  ) -> RetryStateMachine {
    RetryStateMachine(
      method: method,
      retries: retries,
      follows: follows,
      hasBody: hasBody,
      usesProofs: usesProofs,
      canRenew: canRenew
    )
  }

  /// A machine after the events that lead to a state.
  func machine(in state: State) -> RetryStateMachine {
    switch state {
    case .fresh: machine()
    case .challenged: machine(after: ["401-nonce"])
    case .unannounced: machine(after: ["417"])
    case .renewed: machine(after: ["401-token", "renewed"])
    case .waited: machine(after: ["429"])
    case .followed: machine(after: Array(repeating: "302", count: 10))
    case .spent:
      machine(after: Array(repeating: "302", count: 10) + ["401-nonce", "417", "401-token", "renewed", "429", "429"])
    case .post: machine("POST")
    case .keyless: machine(usesProofs: false)
    case .lasting: machine(canRenew: false)
    }
  }

  private func machine(after names: [String]) -> RetryStateMachine {
    let events = events(canRepeat: true)
    var machine = machine()
    for event in names.compactMap({ events[$0] }) { _ = machine.next(after: event) }
    return machine
  }

  /// Every event by its name in the tables.
  func events(canRepeat: Bool) -> [String: RetryStateMachine.Event] {
    func answered(
      _ status: Int,
      _ codes: Set<String> = [],
      isCorrected: Bool = false,
      isLimited: Bool = false,
      in seconds: Int64? = nil,
      to redirect: Result<HTTPURL, EngineError>? = nil,
      cause: EngineError? = nil
    ) -> RetryStateMachine.Event {
      var response = RetryStateMachine.Response(status: status, origin: origin)
      response.refusalCodes = codes
      response.isProofCorrected = isCorrected
      response.isLimited = isLimited
      response.retryAfter = seconds
      response.redirect = redirect
      response.cause = cause
      response.canRepeat = canRepeat
      return .answered(response)
    }
    func unanswered(_ failure: HTTPFailure) -> RetryStateMachine.Event {
      .unanswered(failure, origin, canRepeat: canRepeat)
    }
    return [
      "200": answered(200),
      "cause": answered(401, ["use_dpop_nonce"], cause: cause),
      "401-nonce": answered(401, ["use_dpop_nonce"]),
      "400-nonce": answered(400, ["use_dpop_nonce"]),
      "401-late": answered(401, ["invalid_dpop_proof"], isCorrected: true),
      "401-proof": answered(401, ["invalid_dpop_proof"]),
      "401-token": answered(401, ["invalid_token"], isCorrected: true),
      "403": answered(403, isCorrected: true),
      "403-in-7": answered(403, in: 7),
      "403-limit": answered(403, isLimited: true),
      "403-limit-7": answered(403, isLimited: true, in: 7),
      "417": answered(417),
      "429": answered(429),
      "429-in-7": answered(429, in: 7),
      "429-in-3600": answered(429, in: 3600),
      "429-in-3601": answered(429, in: 3601),
      "503": answered(503),
      "503-in-7": answered(503, in: 7),
      "302": answered(302, to: .success(target)),
      "302-elsewhere": answered(302, to: .failure(elsewhere)),
      "renewed": .renewed(origin, canRepeat: canRepeat, byAnother: false),
      "taken-over": .renewed(origin, canRepeat: canRepeat, byAnother: true),
      "not-renewed": .notRenewed(.network(.offline)),
      "unresolved": unanswered(.unresolved(host: "pds.example")),
      "unreachable": unanswered(.unreachable(reason: "no route")),
      "no-proxy": unanswered(.proxy(reason: "no route")),
      "timed-out": unanswered(.timedOut),
      "closed": unanswered(.closed),
      "untrusted": unanswered(.untrusted(reason: "expired")),
      "malformed": unanswered(.malformed),
      "too-large": unanswered(.tooLarge(limit: 1)),
      "cancelled": unanswered(.cancelled),
      "unsendable": unanswered(.unsendable(reason: "line break")),
      "source": unanswered(.source(.failed(name: "-", reason: "closed"))),
      "inside": unanswered(.inside(host: "10.0.0.1")),
    ]
  }

  /// An action's name in the tables.
  func name(of action: RetryStateMachine.Action) -> String {
    switch action {
    case .deliver(nil): "deliver"
    case .deliver(.network(.offline)): "offline"
    case .deliver(cause): "cause"
    case .deliver(elsewhere): "elsewhere"
    case .deliver(.request(.tooManyRedirects(limit: 10, origin))): "too-many"
    case .deliver(let error?):
      if case .bodyGone(let status?, origin) = error.request { "gone-\(status)" } else { "deliver: \(error)" }
    case .challenge: "challenge"
    case .renew: "renew"
    case .wait(let seconds): "wait-\(seconds)"
    case .follow(target): "follow"
    case .follow(let url): "follow: \(url)"
    case .fail(.network(.http(_, origin))): "fail"
    case .fail(let error): "fail: \(error)"
    }
  }
}
