package import AcctModel
import AcctPorts
import Synchronization

/// The hint from an origin's last response: its DPoP nonce, and the difference of its clock from ours.
///
/// It is read once for a request; the proof, the decision to send another and the update from the response are all
/// based on this one value.
package struct ServerHint: Equatable, Sendable {
  var nonce: String?
  /// Seconds by which the server's clock is ahead of ours; 0 if the difference matters to no proof.
  var clockOffset: Int64 = 0
  /// The time of that response; `nil` if nothing is known.
  var learnedAt: Timestamp?

  /// Nothing is known.
  static let none = ServerHint()

  /// `true` if the server's clock is known to differ from ours.
  var isClockOff: Bool { clockOffset != 0 }

  /// `true` if a proof with this hint differs from one with an earlier hint in more than the moment.
  ///
  /// Offsets are differences of whole seconds, which change by one with the moment.
  package func corrects(_ earlier: ServerHint) -> Bool {
    nonce != earlier.nonce || abs(clockOffset - earlier.clockOffset) > 1
  }

  /// The time at the server.
  ///
  /// - Parameter now: The time here.
  /// - Returns: The time that a proof for the server has.
  package func time(at now: Timestamp) -> Timestamp { now.adding(seconds: clockOffset) }
}

/// The hints that a long-running process keeps in memory, so that it need not read them for each request.
///
/// Another process may have newer ones: they are only hints, and after half a minute the file is read again.
package final class KeptHints: Sendable {
  private struct Kept {
    var hint: ServerHint
    var readAt: Timestamp
    var writtenAt: Timestamp?
  }

  package init() {}

  /// One for each origin of an account.
  private let kept = Mutex<[Origin: Kept]>([:])

  /// The `Date` that was read last, and its time: a server writes the same one for a second.
  private let lastDate = Mutex<(text: String, time: Timestamp?)>(("", nil))

  /// The lifetime of a kept hint, in seconds.
  private static let time: Int64 = 30

  /// The time in a `Date` field; `nil` if it is none.
  func time(of date: String) -> Timestamp? {
    lastDate.withLock { last in
      if last.text != date { last = (date, HTTPDate.parse(date)) }
      return last.time
    }
  }

  /// The hint for an origin, from memory, or else from its file.
  func hint(for origin: Origin, at now: Timestamp, reading file: () -> ServerHint) -> ServerHint {
    let known = kept.withLock { $0[origin] }
    if let known, (0...Self.time).contains(now.seconds(since: known.readAt)) { return known.hint }
    let hint = file()
    kept.withLock { kept in kept[origin] = Kept(hint: hint, readAt: now, writtenAt: kept[origin]?.writtenAt) }
    return hint
  }

  /// Stores the hint from a response.
  ///
  /// - Returns: `true` if it is time to write it down for other processes: once a second.
  func learn(_ hint: ServerHint, of origin: Origin, at now: Timestamp) -> Bool {
    kept.withLock { kept in
      let last = kept[origin]?.writtenAt
      let isTime = last != now
      kept[origin] = Kept(hint: hint, readAt: now, writtenAt: isTime ? now : last)
      return isTime
    }
  }
}
