import AcctApps
import AcctEngine
import AcctModel
import Secrets
import AcctProtocol
import StrictJSON

/// The head of a response as curl prints it, and the limits in it.
func limitsViolation(_ bytes: [UInt8]) -> String? {
  guard let head = PrintedHead.last(in: bytes) else { return nil }
  guard let origin = try? Origin("https://api.example"), let now = Timestamp(secondsSince1970: 1_800_000_000)
  else { return "no origin and time to read them for" }
  let limits = RateLimitFields.limits(from: head.fields, of: origin, at: now)
  // One more than the most, for a Retry-After that belongs to none of them.
  guard limits.count <= 33 else { return "limits without bounds" }
  for limit in limits {
    let numbers = [limit.limit, limit.remaining, limit.retryAfterSeconds].compactMap(\.self)
    guard numbers.allSatisfy({ $0 >= 0 }) else { return "a number below zero" }
    let reset = limit.resetsAt?.seconds(since: now) ?? 0
    guard reset <= 4_000 * 86_400 else { return "a reset in a lifetime" }
  }
  var known = limits
  known.take(limits)
  guard known == limits else { return "limits that do not replace themselves" }
  let waits = [403, 429].compactMap { status in
    LimitVerdict(status: status, head.fields, of: origin, at: now).retryAfter?.seconds(from: now)
  }
  guard waits.allSatisfy({ $0 >= 0 }) else { return "a wait below zero" }
  return LimitsFile.decode(LimitsFile.encode(limits)) == limits
    ? nil : "limits that read otherwise when written"
}

func guestViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes) else { return nil }
  let fault = BackendFault(json, redacting: .none)
  guard fault.message.map({ $0.count <= 300 }) ?? true else { return "words without bounds" }
  guard let grant = try? GuestGrant(json, receivedAt: .epoch, redacting: .none) else { return nil }
  let isLine = grant.token.secret.withBytes { span in span.indices.allSatisfy { (0x21...0x7E).contains(span[$0]) } }
  guard isLine else { return "a token that could write header lines" }
  return grant.tokenLifetime.canRenew ? "a guest whose token can be renewed" : nil
}
