import AcctPorts

/// Why a request to a member came to nothing, and what can be done then.
struct Setback: Error {
  /// What is said if it stays so.
  var failure: SharedStoreFailure
  var next: Next
  /// Whether the member may have carried the request out, or may yet.
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
  /// How much a failure says about a cluster whose members failed in different ways.
  ///
  /// One member that has no leader explains why others do not answer; none of this is explained by one that is
  /// not running.
  var weight: Int {
    switch self {
    case .noQuorum: 7
    case .noSpace: 6
    case .timedOut: 5
    case .denied: 4
    case .untrusted: 3
    case .notPrepared: 2
    case .failed: 1
    case .unavailable: 0
    }
  }
}
