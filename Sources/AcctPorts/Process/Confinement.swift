/// The restrictions that a process that runs for days puts on itself, so that an attacker gains less from it.
///
/// Both parts need the kernel's support, and are silently absent without it.
package struct Confinement: Sendable {
  /// Moves every secret that is made from now on to memory that no other process can read, and denies access to files
  /// that the process does not need.
  ///
  /// Call it before the process has a second thread: a fence applies to the calling thread, and those that it makes.
  package var begin: @Sendable (Fence) -> Measures
  /// Returns what this kernel supports, for `doctor`; changes nothing.
  ///
  /// `nil` where nothing is known of the kernel.
  package var available: @Sendable () -> Measures?

  package init(begin: @escaping @Sendable (Fence) -> Measures, available: @escaping @Sendable () -> Measures?) {
    self.begin = begin
    self.available = available
  }

  /// A kernel that supports neither.
  package static let none = Confinement(begin: { _ in Measures(secretMemory: false, fence: nil) }, available: { nil })

  /// The needs of the process, beside acct's own files.
  package struct Fence: Equatable, Sendable {
    /// The address at which it will listen.
    package var place: LocalPlace
    /// Files that tokens are read from again and again; each may be replaced by another of its name.
    package var tokenFiles: [String]
    /// `true` if libraries or programs will read files that acct does not know; then access to no file is denied.
    package var needsUnknownFiles: Bool

    package init(place: LocalPlace, tokenFiles: [String], needsUnknownFiles: Bool) {
      self.place = place
      self.tokenFiles = tokenFiles
      self.needsUnknownFiles = needsUnknownFiles
    }
  }

  /// The measures that are in force, or could be.
  package struct Measures: Equatable, Sendable {
    /// `true` if secrets are in memory of their own (memfd_secret(2)).
    package var secretMemory: Bool
    /// The version of landlock(7) that restricts access to files; `nil` without it.
    package var fence: Int?

    package init(secretMemory: Bool, fence: Int?) {
      self.secretMemory = secretMemory
      self.fence = fence
    }
  }
}
