/// What a process that runs for days takes upon itself, so that less can be taken from it.
///
/// Both parts are the kernel's, and absent without a word where the kernel does not have them.
package struct Confinement: Sendable {
  /// Moves every secret that is made from now on to memory that no other process can read, and closes files
  /// that the process has no use for.
  ///
  /// It is to be called before the process has a second thread: a fence is the calling thread's, and of those
  /// that it makes.
  package var begin: @Sendable (Fence) -> Measures
  /// What this kernel has, for `doctor`; changes nothing.
  ///
  /// `nil` where nothing is known of the kernel.
  package var available: @Sendable () -> Measures?

  package init(begin: @escaping @Sendable (Fence) -> Measures, available: @escaping @Sendable () -> Measures?) {
    self.begin = begin
    self.available = available
  }

  /// A kernel that has neither.
  package static let none = Confinement(begin: { _ in Measures(secretMemory: false, fence: nil) }, available: { nil })

  /// What the process has use for, beside acct's own files.
  package struct Fence: Equatable, Sendable {
    /// Where it will listen.
    package var place: LocalPlace
    /// Whether libraries will read files that acct does not know; then no file is closed.
    package var needsUnknownFiles: Bool

    package init(place: LocalPlace, needsUnknownFiles: Bool) {
      self.place = place
      self.needsUnknownFiles = needsUnknownFiles
    }
  }

  /// What is in force, or could be.
  package struct Measures: Equatable, Sendable {
    /// Whether secrets are in memory of their own (memfd_secret(2)).
    package var secretMemory: Bool
    /// The version of landlock(7) that closes files; `nil` if none does.
    package var fence: Int?

    package init(secretMemory: Bool, fence: Int?) {
      self.secretMemory = secretMemory
      self.fence = fence
    }
  }
}
