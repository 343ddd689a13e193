import AcctEngine
import AcctProtocol

extension Complaint {
  /// A backend did not sign the user in; nothing was stored.
  init(_ error: BackendError) {
    switch error {
    case .callbackPrefix(let text, let flaw):
      self.init(
        "usage",
        .usage,
        "--callback \(printable(text)): \(words(for: flaw))",
        hint: "as in limit://auth, or http://127.0.0.1:8080/callback"
      )
    case .undelivered(let failure):
      self.init(
        "callbackUndelivered",
        .failed,
        "the callback was not taken: \(words(for: failure))",
        hint: "sign in again with `acct add`, and wait there for the browser"
      )
    case .unexpectedCallback:
      self.init(
        "callbackUnexpected",
        .failed,
        "that is not the callback that the waiting sign-in expects",
        hint: "go back to the page where you sign in"
      )
    }
  }
}
