import AcctModel
import Secrets
import AcctPorts

/// Why a request to a member failed, and the next step.
struct Setback: Error {
  /// The failure of the call if no other request succeeds.
  var failure: SharedStoreFailure
  var next: Next
  /// `true` if the member may have carried the request out, or may yet.
  var mayBeDone: Bool

  enum Next {
    /// Every member would say the same.
    case nothing
    /// The member is of no use to this machine as things are; another one may be.
    case anotherMember
    /// The member, or another, may serve in a moment.
    case anyMember
    /// The user has to be authenticated again.
    case login
  }

  init(_ failure: SharedStoreFailure, _ next: Next, mayBeDone: Bool = false) {
    self.failure = failure
    self.next = next
    self.mayBeDone = mayBeDone
  }
}

extension SharedStoreFailure {
  /// The weight of a failure in the report about a cluster whose members failed in different ways.
  ///
  /// One member that has no leader explains why others do not answer; none of this is explained by one that is
  /// not running.
  var weight: Int {
    switch self {
    case .noQuorum: 7
    case .noSpace: 6
    case .timedOut: 5
    case .denied, .readOnly: 4
    case .untrusted: 3
    case .notPrepared: 2
    case .failed: 1
    case .unavailable: 0
    }
  }
}

extension Setback {
  /// Translates an error of etcd (its `rpctypes/error.go`).
  ///
  /// - Parameters:
  ///   - status: As the member has answered.
  ///   - place: The member.
  ///   - redactor: Knows the secrets that were sent.
  init(_ status: CallStatus, at place: String, redacting redactor: Redactor) {
    let words = shown(status.message, redactor)
    let said = "\(place) says: \(words.isEmpty ? "status \(status.code)" : words)"
    func says(_ text: String) -> Bool { status.message.contains(text) }
    switch status.code {
    case 3 where says("authentication failed"):
      self.init(.denied(reason: "\(place) does not accept the user and the password"), .nothing)
    case 3 where says("user name is empty"):
      self.init(.denied(reason: "\(place) wants a user, or a certificate with a user's name"), .nothing)
    case 3 where says("auth store is old"): self.init(.denied(reason: said), .login)
    case 7: self.init(.denied(reason: "\(place) does not let this user at the keys"), .nothing)
    case 8 where says("space exceeded"): self.init(.noSpace, .nothing)
    case 8 where says("too many requests"): self.init(.failed(reason: said), .anyMember)
    case 9 where says("authentication is not enabled"):
      self.init(.denied(reason: "a user is set, but \(place) does not have authentication enabled"), .nothing)
    case 16: self.init(.denied(reason: "\(place) does not accept the user any more"), .login)
    // It was refused before it was looked at: see `hasleader` in `Exchange`.
    case 14 where says("no leader"): self.init(.noQuorum, .anyMember)
    case 4, 14: self.init(.noQuorum, .anyMember, mayBeDone: true)
    // Cancelled and unknown.
    case 1, 2: self.init(.failed(reason: said), .anyMember, mayBeDone: true)
    default: self.init(.failed(reason: said), .nothing)
    }
  }

  /// Translates a status of HTTP where one of gRPC is missing, as gRPC does.
  init(status: Int, at place: String) {
    let reason = "\(place) does not answer as etcd does (HTTP status \(status))"
    switch status {
    case 429, 502...504: self.init(.unavailable(reason: reason), .anyMember, mayBeDone: true)
    default: self.init(.failed(reason: reason), .anotherMember, mayBeDone: true)
    }
  }

  /// Translates a reply that can't be read.
  init(_ flaw: WireFlaw, at place: String) {
    let reason =
      switch flaw {
      case .tooLarge: "the answer of \(place) is longer than \(Exchange.bodyLimit >> 20) MiB"
      case .malformedHead: "\(place) does not speak HTTP/2 as etcd does"
      case .truncated: "the answer of \(place) is cut off"
      case .oversizedNumber, .malformedTag, .unexpectedType, .invalidField, .compressed, .trailingBytes:
        "\(place) does not answer as etcd does"
      }
    self.init(.failed(reason: reason), .nothing, mayBeDone: true)
  }
}

/// A server's words, for one line.
private func shown(_ text: String, _ redactor: Redactor) -> String {
  printable(redactor.redact(String(text.prefix(200))))
}
