/// A failure of an annex, which words it: no other part of acct knows it.
///
/// The core passes it on. Where the annex itself decides by it, it looks at ``failure``.
package struct Told: Sendable {
  /// The failure, of a type of the annex.
  package let failure: any Error
  package let message: ErrorMessage

  package init(_ failure: any Error, _ message: ErrorMessage) {
    self.failure = failure
    self.message = message
  }
}

extension Told: Equatable {
  /// Two failures with the same words are the same to everything but the annex.
  package static func == (one: Told, other: Told) -> Bool { one.message == other.message }
}
