/// The highest generation of an account's object that this machine has seen.
///
/// An engine's versions and revisions are its operator's to choose; a generation is sealed in the object.
package struct SeenGeneration: Equatable, Sendable {
  /// 0 if it has seen none, or one of a version of acct without generations.
  package var number: Int64
  /// `true` if that one was the trace of a removal.
  package var isRemoval: Bool

  package init(_ number: Int64 = 0, isRemoval: Bool = false) {
    self.number = number
    self.isRemoval = isRemoval
  }

  /// `true` if an engine that answers with such an object has gone back to an earlier state.
  ///
  /// - Parameters:
  ///   - found: The object's generation; `nil` if there is no object, not even the trace of a removal.
  ///   - isSame: `true` if the object has the very bytes that were seen, or is a trace as the one that was.
  /// - Returns: `true` for a rollback.
  package func isContradicted(by found: Int64?, isSame: Bool) -> Bool {
    guard number > 0 else { return false }
    // The trace of a removal has nothing to lose.
    guard let found else { return !isRemoval }
    return found < number || (found == number && !isSame)
  }
}
