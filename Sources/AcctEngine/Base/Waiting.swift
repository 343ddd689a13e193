import AcctModel
package import AcctPorts

/// A report to the user about a use case that waits, or chooses.
package enum Waiting: Sendable {
  /// A server gave no answer and is asked again; reported once a second, from `total` down to 1.
  case toAskAgain(secondsLeft: Int64, of: Int64, because: EngineError)
  /// The keyring can't store a server's answer, and gets so many seconds to be unlocked.
  case toStore(owner: String, Keyring.Kind, seconds: Int64)
  /// A device waits for its key to be touched.
  case forTouch
  /// The first account goes to a vault, since the desktop's keyring can't be reached.
  case vaultInstead(because: KeyringFailure)
  /// The wait is over.
  case over

  /// Takes the reports.
  package typealias Reporter = @Sendable (Waiting) -> Void
}

/// The pauses between attempts at a server that gives no answer: 2, 4 and 8 seconds, and up to half as much again, so
/// that clients that failed together do not retry together.
struct BackOff {
  private var pauses: [Int64] = [2, 4, 8]

  /// The next pause in seconds, or `nil` after the last attempt.
  ///
  /// - Parameter entropy: One byte of it is used.
  /// - Returns: Seconds.
  mutating func next(_ entropy: Entropy) -> Int64? {
    guard !pauses.isEmpty else { return nil }
    let pause = pauses.removeFirst()
    return pause + Int64(entropy.bytes(1)[0]) % (pause / 2 + 1)
  }
}

extension Clock {
  /// Waits, and reports the seconds left every second.
  ///
  /// - Throws: ``EngineError/cancelled``.
  func pause(_ seconds: Int64, because error: EngineError, _ report: Waiting.Reporter) async throws(EngineError) {
    defer { report(.over) }
    for left in stride(from: seconds, to: 0, by: -1) {
      report(.toAskAgain(secondsLeft: left, of: seconds, because: error))
      guard await sleep(1) else { throw .cancelled }
    }
  }
}
