import AcctEngine
import AcctModel

extension Complaint {
  /// A backend did not go on with the session that it keeps; the credential is as it was.
  init(_ error: SessionError) {
    switch error {
    case .otherIdentity(let expected, let found, let origin):
      self.init(
        "otherIdentity",
        .serverFailed,
        "\(origin) speaks of \(found) instead of \(expected)",
        hint: "nothing was changed"
      )
    case .notExtended(let account, let reason):
      self.init(
        "notExtended",
        .signInRequired,
        "the session of \(account) could not be extended: \(printable(reason))",
        hint: "sign in again with `acct add`; the account keeps its name"
      )
    case .refused(let account, let reason):
      self.init(
        "sessionRefused",
        .signInRequired,
        "the session of \(account) is refused: \(printable(reason))",
        hint: "the account is kept; if this stays so, sign in again with `acct add`"
      )
    }
  }
}
