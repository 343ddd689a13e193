import AcctEngine
package import AcctModel
import AcctPorts
import Release

extension ErrorMessage {
  /// A token that a request starts from can't be had; nothing was sent.
  init(_ error: InputTokenError) {
    switch error {
    case .file(.missing(let path)):
      self = .code("badInput", .badInput)
        .saying("\(shown(path)): no such file")
        .hint("the file has the token itself")
    case .file(.exposed(let path, let reason, let chmod)):
      self = .code("badInput", .badInput)
        .saying("\(shown(path)): \(reason)")
        .hint(closing(chmod))
    case .file(.failed(let path, let reason)): self = .code("badInput", .badInput).saying("\(shown(path)): \(reason)")
    case .file(.exists(let path)): self = .code("badInput", .badInput).saying("\(shown(path)) already exists")
    case .unusable(.empty, .file(let path)): self = .code("badInput", .badInput).saying("\(shown(path)) is empty")
    case .unusable(.empty, .program(let program)):
      self = .code("badInput", .badInput).saying("\(printable(program)) printed no token")
    case .unusable(.notToken, let origin):
      self = .code("badInput", .badInput).saying("\(words(for: origin)) is not one word, so it is no token")
    case .unusable(.notJWT, let origin):
      self = .code("badInput", .badInput)
        .saying("\(words(for: origin)) is not a JWT")
    case .ended(let origin, let time):
      self = .code("inputTokenEnded", .signInRequired)
        .saying("\(words(for: origin)) ended at \(time)")
        .hint("what provides it writes a new one in time: check that it runs")
    case .program(let failure):
      self.init(failure)
      if failure != .cancelled { (code, status) = ("badInput", .badInput) }
    case .refused(let program, let status, let words):
      let reason = words.isEmpty ? "" : ": \(printable(words))"
      self = .code("badInput", .badInput).saying("\(printable(program)) ended with status \(status)\(reason)")
    case .accountGone:
      self = .code("badInput", .badInput)
        .saying("the account whose token was exchanged is gone")
        .hint("add this one anew")
    case .circular(let account):
      self = .code("badInput", .badInput).saying("the token of \(account) starts from this account's own")
    case .account(_, let error):
      self.init(error)
      if case .authorization(.noIDToken) = error { hint = "`--subject-type access` exchanges its access token" }
    case .local(let account):
      self = .code("localToken", .failed)
        .saying(
          "\(account.map { "\($0)" } ?? "the account") starts from a token of this machine: it can't be used by others"
        )
        .hint(
          account == nil
            ? "`ACCT_KEYRING=vault acct add …` keeps it on this machine" : "add it on the other machine with `acct add`"
        )
    }
  }
}

/// The tokens that an account's requests start from.
///
/// - Parameters:
///   - client: The settings of the account's client.
///   - subject: The account whose token it is; `nil` if it is another's, or the account is gone.
/// - Returns: The words; none for a client that starts from none.
package func words(for client: ClientSettings, _ subject: AccountName?) -> String {
  let token: String? =
    switch client.inputs.grantToken {
    case .file(let path): "the token in \(shown(path))"
    case .program(let line): "the token of \(printable(line.shown))"
    case .account(let id): "the token of \(subject.map(\.description) ?? "the account \(id), which is gone")"
    case nil: nil
    }
  let assertion = client.inputs.clientAssertion.map { "the client's assertion in \(shown($0))" }
  return [token, assertion].compactMap(\.self).joined(separator: ", ")
}

private func words(for origin: TokenOrigin) -> String {
  switch origin {
  case .file(let path): shown(path)
  case .program(let program): "the token of \(printable(program))"
  }
}

/// A path; not a token that was given in the place of one.
private func shown(_ path: String) -> String {
  let name = path.split(separator: "/").last ?? ""
  return name.hasPrefix("eyJ") || name.utf8.count > 100 ? "the given file" : printable(path)
}
