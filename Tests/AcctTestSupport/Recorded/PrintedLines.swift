import Synchronization

/// What commands print for people in the recorded worlds of this process, for a test that reads all of it.
package enum PrintedLines {
  private static let reader = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Hands everything that is printed from now on to a reader.
  ///
  /// - Parameter reader: Takes a line or several, as they are printed.
  package static func read(by reader: @escaping @Sendable (String) -> Void) { self.reader.withLock { $0 = reader } }

  static func hand(over text: String) {
    guard text.contains("`acct "), let reader = reader.withLock({ $0 }) else { return }
    reader(text)
  }
}
