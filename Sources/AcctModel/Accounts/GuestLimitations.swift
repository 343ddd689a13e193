/// What a guest may not do, as the backend says; for people to read, nothing depends on it.
package struct GuestLimitations: Equatable, Sendable {
  /// How many edits a guest may make a day.
  package var maxEditsPerDay: Int64?
  /// The backend's names of what guests can't use.
  package var featuresDisabled: [String]

  package init(maxEditsPerDay: Int64?, featuresDisabled: [String]) {
    self.maxEditsPerDay = maxEditsPerDay
    self.featuresDisabled = featuresDisabled
  }
}
