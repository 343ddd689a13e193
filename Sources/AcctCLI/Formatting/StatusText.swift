import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

/// The output of `status` for people, from top to bottom.
struct StatusText {
  @Boxed var status: AccountOverview.Status
  var selectedBy: SelectedBy
  /// The path of the `.acct` file that chose it, if one did.
  var directoryFile: String?
  var limits: [RateLimit] = []
  @Boxed var errorMessage: ErrorMessage? = nil
  /// The page where a provider's key is made and revoked.
  var keyPage: String?
  @Boxed var clock: Clock

  private var now: Timestamp { clock.now() }

  func lines(on screen: Screen) -> [String] {
    AcctConsole.lines(summary + identity + credentials + origin + allowance, on: screen)
  }

  /// The identity, its state, and the next step.
  private var summary: [Field] {
    let assessment = status.shownAssessment
    let word = status.account.word(for: assessment.state, at: now)
    let state =
      switch status.account.recordedState {
      case .doubted(let rejection): "\(word), \(doubt(rejection, by: clock))"
      case .rejected(let rejection): "\(word): \(words(for: rejection, by: clock))"
      default: [word, assessment.reason].compactMap(\.self).joined(separator: ": ")
      }
    return [
      Field("account", status.account.name.description + (status.isActive ? " (active)" : ""), .strong),
      Field("state", state, assessment.state.style),
      Field("problem", errorMessage?.text ?? "", .bad),
      Field("next", errorMessage?.hint ?? ""),
    ]
  }

  private var identity: [Field] {
    let account = status.account
    return [
      Field("id", account.id.description, .faint),
      Field("handle", account.handle?.description ?? ""),
      Field("did", account.did?.description ?? ""),
      Field("display name", account.displayName ?? ""),
      Field("service", account.service?.description ?? ""),
      Field("issuer", account.identity.issuer?.description ?? ""),
      Field("origins", account.origins.places.map(\.description).joined(separator: " ")),
    ]
  }

  private var credentials: [Field] {
    let account = status.account
    return [
      Field("scope", account.scope ?? ""),
      Field("token", account.tokenType.rawValue),
      Field("sent as", account.sentAs.map(words) ?? ""),
      Field("key page", keyPage ?? ""),
      Field("starts from", account.client.hasInputs ? words(for: account.client, status.subject) : ""),
      Field("expires", account.expiry(at: now).map { "\($0); \(account.shownExpiry?.description ?? "")" } ?? ""),
    ]
      + status.secondTokens.map { token in
        let scope = token.scope ?? token.granted
        let purpose = [token.audience.map { "for \($0)" }, scope.map { "scope \($0)" }]
        return Field(
          "second token",
          purpose.compactMap(\.self).joined(separator: ", ") + (token.expiresAt.map { ": \(time($0))" } ?? "")
        )
      } + [
        Field("session ends", account.sessionEndsAt.map { time($0) + sessionNote } ?? ""),
        Field("validated", account.validatedAt.map(time) ?? ""),
        Field("key", account.thumbprint ?? "", .faint),
        certificate,
        Field("key in", account.keyStorage == .software ? "" : words(for: account.keyStorage)),
      ]
  }

  /// Whether a renewal moves the session's end.
  private var sessionNote: String { status.account.isEndFixed ? "" : ", unless it is renewed before" }

  /// The certificate of its client, with its end.
  private var certificate: Field {
    guard let certificate = status.account.client.certificate else { return Field("certificate", "") }
    let bound = certificate.isBound ? "the token is bound to it, " : ""
    return Field(
      "certificate",
      "\(certificate.thumbprint); \(bound)ends \(time(certificate.endsAt))",
      certificate.endsSoon(at: now) ? .warning : .faint
    )
  }

  /// The keyring that stores it, and the rule that chose the account.
  private var origin: [Field] {
    let keyring = [
      status.keyringKind.rawValue, status.keyringState.rawValue,
      status.sealedIn.map { "sealed in the TPM at \($0.description)" },
    ]
    return [
      Field("keyring", keyring.compactMap(\.self).joined(separator: ", "), .faint),
      Field("chosen by", [words(for: selectedBy), directoryFile].compactMap(\.self).joined(separator: " "), .faint),
    ]
  }

  /// The limitations of a guest, and the rest of each limit.
  private var allowance: [Field] {
    [
      Field("guests have", status.account.limitations.map(words) ?? ""),
      Field("device id", status.deviceID ?? "", .faint),
    ]
      + limits.map { Field("limit", "\($0.label): \(words(for: $0, at: now))") }
  }

  private func time(_ time: Timestamp) -> String { "\(relative(time, to: now)), \(time)" }
}

/// Who rejected a token, and when.
private func words(for rejection: Rejection, by clock: Clock) -> String {
  "rejected by \(rejection.origin.authority) at \(moment(rejection.time, by: clock))"
}

/// The one rejection of a token that is still sent.
private func doubt(_ rejection: Rejection, by clock: Clock) -> String {
  "refused once: 401 at \(rejection.path ?? rejection.origin.authority), \(moment(rejection.time, by: clock))"
}

/// The line that contains a static token.
private func words(for header: StaticHeader) -> String {
  switch header.form {
  case .bare: "\(header.field): TOKEN"
  case .query: "?\(header.field)=TOKEN, in the URL"
  case .scheme(let scheme): "\(header.field): \(StaticHeader.beginning(scheme))TOKEN"
  case .basic(let user): "\(header.field): Basic, of the user \(user.isEmpty ? "\"\"" : user)"
  case .userIsToken: "\(header.field): Basic, as the user"
  }
}
