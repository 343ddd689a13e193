import AcctEngine
import AcctModel
import AcctPorts

extension ErrorMessage {
  /// A guest session did not begin, or can't continue.
  init(_ error: GuestError) {
    switch error {
    case .deviceIDMissing(let origin):
      self = .code("deviceIDMissing", .serverFailed)
        .saying("\(origin) reports that X-Device-ID is missing, which every request of a guest contains")
        .hint("check whether a proxy removes it")
    case .limited(let limit, let message, let origin):
      let hint = limit.map { words(for: $0, at: $0.observedAt) } ?? ""
      self = .code("rateLimited", .rateLimited)
        .saying("the limit of \(origin) is reached" + (message.map { ": \(printable($0))" } ?? ""))
        .hint(hint.isEmpty ? "a new guest session does not reset it; wait" : hint)
    case .refused(let status, let message, let origin):
      let words = message.map { ": \(printable($0))" } ?? ""
      let isSignIn = status == 401 || status == 403
      self = .code("guestRefused", isSignIn ? .signInRequired : .serverFailed)
        .saying("\(origin) does not accept guests (it answered \(status))\(words)")
    case .malformed(let member, let origin):
      self = .code("badAnswer", .serverFailed)
        .saying(
          member.map { "\(origin) sent a guest session with a bad \($0)" }
            ?? "\(origin) sent an answer that is not JSON"
        )
    case .shared(let kind):
      self = .code("guestShared", .refused)
        .saying("a guest session belongs to one machine, and the keyring (\(kind.rawValue)) is shared")
        .hint("add the guest under another ACCT_HOME, with a keyring of its own")
    case .damagedDeviceID:
      self = .code("damagedDeviceID", .badInput)
        .saying("the file device-id contains no identifier of this machine")
        .hint("restore it, or remove it: backends then see a new machine")
    }
  }
}
