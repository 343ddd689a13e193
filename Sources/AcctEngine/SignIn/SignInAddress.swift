import Synchronization

/// An address that the user is sent to for a sign-in.
struct SignInAddress: Sendable {
  var text: String
  /// When it ends, where that is known.
  var end: End?

  init(_ text: String) { self.text = text }

  /// The end of an address, and the way to a new one (RFC 9126, section 2.2).
  struct End: Sendable {
    /// How long the server takes the address from when it was made.
    var seconds: Int64
    /// Makes another address for the same request; callbacks of both are accepted.
    var renew: @Sendable () async throws(EngineError) -> SignInAddress
  }
}

/// How long the address is valid that the user was shown last.
final class ShownAddress: Sendable {
  private let known = Mutex<Int64?>(nil)

  /// Seconds; `nil` where no address was shown, or where it has no end.
  var seconds: Int64? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }
}
