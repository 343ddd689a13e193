import AcctModel
import Synchronization

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
