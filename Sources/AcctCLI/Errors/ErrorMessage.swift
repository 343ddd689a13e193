import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// What the user sees of a failure: one line, one hint, one exit status, one code for scripts.
struct ErrorMessage: Equatable {
  var code: String
  var text: String
  var hint: String?
  var status: ExitStatus
  /// When the server takes another request; ``timed(by:)`` puts it into the hint.
  var retryAfter: RetryAfter?

  init(
    _ code: String,
    _ status: ExitStatus,
    _ text: String,
    hint: String? = nil,
    retryAfter: RetryAfter? = nil
  ) {
    self.code = code
    self.status = status
    self.text = text
    self.hint = hint
    self.retryAfter = retryAfter
  }

  /// The same with the time at which to try again before the rest of the hint.
  func timed(by clock: Clock) -> ErrorMessage {
    guard let retryAfter, let words = words(for: retryAfter, by: clock) else { return self }
    var timed = self
    timed.hint = [words, hint].compactMap(\.self).joined(separator: "; ")
    timed.retryAfter = nil
    return timed
  }

  /// What ArgumentParser finds wrong with the command line.
  init(usage message: String) {
    var text = message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
    text = text.split(separator: "\n").first.map(String.init) ?? "this is not a valid command line"
    if text.hasSuffix(".") { text.removeLast() }
    // One sentence, as everywhere.
    text = text.replacing(". Please provide one of ", with: "; it is one of ")
    self.init(
      "usage",
      .usage,
      text.prefix(1).lowercased() + text.dropFirst(),
      hint: "run `acct --help`, or `acct help COMMAND`"
    )
  }

  /// What is printed on standard error.
  var json: JSON { ["version": 1, "error": errorObject] }

  /// The `error` object of the contract.
  var errorObject: JSON {
    [
      "code": .string(code),
      "message": .string(text),
      "hint": hint.map(JSON.string) ?? .null,
      "exit": .number(JSONNumber(Int64(status.rawValue))),
    ]
  }
}

extension ErrorMessage {
  /// Puts a failure into the user's words; the one place where that happens.
  init(_ error: EngineError) {
    switch error {
    case .noAccounts, .noActiveAccount, .unknownAccount, .ambiguousAccount, .undecidedSwitch,
      .noPreviousAccount, .nameTaken:
      self.init(choosing: error)
    case .urlNeeded(let name):
      self.init(
        "urlNeeded",
        .usage,
        "\(name) has a DPoP key, and a proof is for one method and one URL: name the URL",
        hint: "acct header [METHOD] URL"
      )
    case .noBearer(let name):
      self.init(
        "noBearer",
        .usage,
        "the token of \(name) is bound to a DPoP key and can't be sent as a bearer token",
        hint: "leave out --bearer"
      )
    case .methodMalformed(let method):
      self.init("usage", .usage, "not an HTTP method: \(method)")
    case .malformed(let malformed): self.init(malformed)
    case .refusedOrigin(let origin, let account, let allowed):
      let list = allowed.map(\.description).joined(separator: ", ")
      self.init(
        "originRefused",
        .refused,
        "refused: \(origin) is not an origin of \(account)"
          + (allowed.isEmpty ? ", which has none" : "; allowed: \(list)"),
        hint: "to allow it, run `acct allow \(account) \(origin)`"
      )
    case .originNotAllowed(let origin, let account):
      self.init("originUnknown", .failed, "\(origin) is not an origin of \(account)")
    case .signInRequired(let account, let reason): self.init(signIn: account, reason)
    case .keyring(let failure, let kind): self.init(failure, kind)
    case .noKeyring(let reason):
      self.init(
        "keyringUnavailable",
        .keyringUnavailable,
        reason,
        hint: "set ACCT_KEYRING to secret-service or vault"
      )
    case .unknownKeyring(let text):
      self.init(
        "usage",
        .usage,
        "ACCT_KEYRING is \(text), which is not a keyring",
        hint: "auto, secret-service or vault"
      )
    case .noKey(let account):
      self.init("noKey", .failed, "\(account) has no DPoP key: its tokens are not bound to one")
    case .handoff(let error): self.init(error)
    case .key(let error):
      self.init("badKey", .badInput, "the DPoP key can't be used: \(words(for: error))")
    case .proof: self.init("proofFailed", .failed, "the DPoP proof could not be signed")
    case .otherKey(let account):
      self.init("otherKey", .badInput, "this is not the key that \(account)'s tokens are bound to")
    case .damagedItem(let account, let kind):
      self.init(
        "damagedItem",
        .badInput,
        "the keyring item \(kind.rawValue) of \(account) is not what acct writes",
        hint: "add the account again: it keeps its name"
      )
    case .halfReplaced(let account):
      self.init(
        "signInRequired",
        .signInRequired,
        "the credentials of \(account) were only partly replaced",
        hint: "add the account again: it keeps its name"
      )
    case .damagedAccount(let id):
      self.init("damagedAccount", .badInput, "the file of account \(id) is damaged")
    case .http, .renewalUnanswered, .oauth, .rateLimited, .serverFailed, .offline, .issuerUnknown,
      .notRenewable:
      self.init(network: error)
    case .authorizationRefused, .untrustedCallback, .deviceCodeExpired, .listen, .keyGeneration,
      .callbackTimedOut, .browserNeeded, .clientIDNeeded:
      self.init(signingIn: error)
    case .session(let error): self.init(error)
    case .backend(let error): self.init(error)
    case .atproto(let error): self.init(error)
    case .dns, .moved: self.init(following: error)
    case .nothingObserved:
      self.init(
        "nothingObserved",
        .badInput,
        "there are no response headers on standard input",
        hint: "`curl -D -` prints them"
      )
    case .guest(let error): self.init(error)
    case .request(let error): self.init(error)
    case .files(let failure): self.init(failure)
    case .input(.tooLarge(let name, let limit)):
      self.init("badInput", .badInput, "\(name) is larger than \(limit / 1024) KiB")
    case .input(.failed(let name, let reason)):
      self.init("badInput", .badInput, "can't read \(name): \(reason)")
    case .output(.failed(let name, let reason)):
      self.init("outputFailed", .failed, "can't write \(name): \(reason)")
    case .output(.tooLarge(let name, _)):
      self.init("outputFailed", .failed, "can't write \(name): too large")
    case .cancelled: self.init("cancelled", .cancelled, "cancelled")
    case .transfer(let error): self.init(error)
    case .exec(let failure): self.init(failure)
    }
  }
}
