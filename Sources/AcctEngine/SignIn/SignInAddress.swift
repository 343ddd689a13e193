import Synchronization

/// The address at which the user signs in.
struct SignInAddress: Sendable {
  var text: String
  /// Its expiry, if it is known.
  var end: End?

  init(_ text: String) { self.text = text }

  /// The expiry of an address, and the way to a new one (RFC 9126, section 2.2).
  struct End: Sendable {
    /// The lifetime of the address from when it was made, in seconds.
    var seconds: Int64
    /// Makes another address for the same request; callbacks of both are accepted.
    var renew: @Sendable () async throws(EngineError) -> SignInAddress
  }
}

/// The lifetime of the address that the user was shown last.
final class ShownAddress: Sendable {
  private let known = Mutex<Int64?>(nil)

  /// Its seconds; `nil` if no address was shown, or if it does not expire.
  var seconds: Int64? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }
}
