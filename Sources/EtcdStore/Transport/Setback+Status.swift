import AcctModel
import AcctPorts

extension Setback {
  /// What an error of etcd means (its `rpctypes/error.go`).
  ///
  /// - Parameters:
  ///   - status: As the member has answered.
  ///   - place: The member.
  ///   - redactor: Knows what was sent that is a secret.
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

  /// What a status of HTTP means where one of gRPC is missing, as gRPC translates it.
  init(status: Int, at place: String) {
    let reason = "\(place) does not answer as etcd does (HTTP status \(status))"
    switch status {
    case 429, 502...504: self.init(.unavailable(reason: reason), .anyMember, mayBeDone: true)
    default: self.init(.failed(reason: reason), .anotherMember, mayBeDone: true)
    }
  }

  /// What a reply means that can't be read.
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
