import AcctModel

/// What an origin's last response taught: its DPoP nonce, and how far its clock is from ours.
///
/// It is read once for a request; the proof, the decision to send another and what the response adds
/// are all based on this one value.
package struct ServerHint: Equatable, Sendable {
  var nonce: String?
  /// Seconds by which the server's clock is ahead of ours; 0 where it is right within a minute.
  var clockOffset: Int64 = 0
  /// When it was learned; `nil` where nothing is known.
  var learnedAt: Timestamp?

  /// Nothing is known.
  static let none = ServerHint()

  /// Whether the server's clock is known to be more than a minute off.
  var isClockOff: Bool { clockOffset != 0 }

  /// The time at the server.
  ///
  /// - Parameter now: The time here.
  /// - Returns: The time that a proof for the server has.
  func time(at now: Timestamp) -> Timestamp { now.adding(seconds: clockOffset) }
}
