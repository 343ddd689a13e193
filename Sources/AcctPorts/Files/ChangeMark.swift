/// A moment in the history of something that others may change.
///
/// Two that are equal say that nothing has changed from the first to the second. Two that differ say nothing.
package struct ChangeMark: Hashable, Sendable {
  private let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}
