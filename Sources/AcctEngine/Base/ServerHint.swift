import AcctModel
import Synchronization

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

/// What a process that serves for days knows of its servers, so that it need not read it for each request.
///
/// Another process may have learned more: these are hints, and after half a minute the file is read again.
final class KeptHints: Sendable {
  private struct Kept {
    var hint: ServerHint
    var readAt: Timestamp
    var writtenAt: Timestamp?
  }

  /// As many as an account has origins.
  private let kept = Mutex<[Origin: Kept]>([:])

  /// In seconds.
  private static let time: Int64 = 30

  /// What is known of an origin, or else what its file has.
  func hint(for origin: Origin, at now: Timestamp, reading file: () -> ServerHint) -> ServerHint {
    let known = kept.withLock { $0[origin] }
    if let known, (0...Self.time).contains(now.seconds(since: known.readAt)) { return known.hint }
    let hint = file()
    kept.withLock { kept in kept[origin] = Kept(hint: hint, readAt: now, writtenAt: kept[origin]?.writtenAt) }
    return hint
  }

  /// Takes what an answer has taught.
  ///
  /// - Returns: Whether it is time to write it down for other processes: once a second.
  func learn(_ hint: ServerHint, of origin: Origin, at now: Timestamp) -> Bool {
    kept.withLock { kept in
      let last = kept[origin]?.writtenAt
      let isTime = last != now
      kept[origin] = Kept(hint: hint, readAt: now, writtenAt: isTime ? now : last)
      return isTime
    }
  }
}
