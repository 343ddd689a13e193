import StrictJSON

/// A line of the fault table: a failure of a renewal, and its required result.
struct FaultRow {
  var what: String
  /// As the strict server takes it.
  var fault: JSON
  /// The exit status of `acct token`.
  var status: Int32
  /// Words that must stand on standard error.
  var said: String
  /// Options of `acct token`.
  var options: [String] = []
  /// Whether the next call renews with the same refresh token.
  var isKept = true
}

extension FaultRow {
  static let all = [
    FaultRow(what: "500", fault: ["endpoint": "token", "kind": "500"], status: 11, said: "500"),
    FaultRow(
      what: "503 with Retry-After",
      fault: ["endpoint": "token", "kind": "503"],
      status: 11,
      said: "hint: try again in 7 s, at "
    ),
    FaultRow(
      what: "429 without a time",
      fault: ["endpoint": "token", "kind": "status", "status": 429],
      status: 9,
      said: "reports too many requests"
    ),
    FaultRow(
      what: "connection reset",
      fault: ["endpoint": "token", "kind": "reset"],
      status: 10,
      said: "closed before the answer"
    ),
    FaultRow(
      what: "connection closed",
      fault: ["endpoint": "token", "kind": "close"],
      status: 10,
      said: "closed before the answer"
    ),
    FaultRow(
      what: "no answer at all",
      fault: ["endpoint": "token", "kind": "hang"],
      status: 10,
      said: "timed out without an answer",
      options: ["--timeout", "1"]
    ),
    FaultRow(what: "truncated JSON", fault: ["endpoint": "token", "kind": "truncated"], status: 11, said: "not JSON"),
    FaultRow(
      what: "truncated body",
      fault: ["endpoint": "token", "kind": "truncated", "short": true],
      status: 10,
      said: "closed before the answer"
    ),
    FaultRow(what: "HTML with 200", fault: ["endpoint": "token", "kind": "html"], status: 11, said: "not JSON"),
    FaultRow(what: "endless body", fault: ["endpoint": "token", "kind": "endless"], status: 11, said: "larger than"),
    FaultRow(
      what: "empty 403",
      fault: ["endpoint": "token", "kind": "empty_403"],
      status: 11,
      said: "403 without a reason"
    ),
    FaultRow(
      what: "redirect elsewhere",
      fault: ["endpoint": "token", "kind": "redirect"],
      status: 11,
      said: "redirects to"
    ),
    FaultRow(
      what: "invalid_grant",
      fault: ["endpoint": "token", "kind": "invalid_grant"],
      status: 4,
      said: "set by a test",
      isKept: false
    ),
    FaultRow(
      what: "invalid_grant with 200",
      fault: ["endpoint": "token", "kind": "error", "error": "invalid_grant", "status": 200],
      status: 4,
      said: "set by a test",
      isKept: false
    ),
    FaultRow(
      what: "another end with 200",
      fault: ["endpoint": "token", "kind": "error", "error": "bad_refresh_token", "status": 200],
      status: 4,
      said: "bad_refresh_token",
      isKept: false
    ),
    FaultRow(
      what: "another error with 200",
      fault: ["endpoint": "token", "kind": "error", "error": "temporarily_unavailable", "status": 200],
      status: 11,
      said: "refused (200): temporarily_unavailable"
    ),
    FaultRow(what: "metadata: 500", fault: ["endpoint": "metadata", "kind": "500"], status: 11, said: "500"),
    FaultRow(
      what: "metadata: no answer",
      fault: ["endpoint": "metadata", "kind": "hang"],
      status: 10,
      said: "timed out without an answer",
      options: ["--timeout", "1"]
    ),
    FaultRow(what: "metadata: HTML", fault: ["endpoint": "metadata", "kind": "html"], status: 11, said: "not JSON"),
    FaultRow(
      what: "metadata: redirect",
      fault: ["endpoint": "metadata", "kind": "redirect"],
      status: 11,
      said: "metadata"
    ),
  ]
}
