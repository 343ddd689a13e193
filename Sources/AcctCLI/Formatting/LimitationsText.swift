import AcctModel

/// What a guest may do, such as `5 edits a day, no save and history`.
func words(for limitations: GuestLimitations) -> String {
  let features = limitations.featuresDisabled
  let list =
    features.count > 1
    ? "\(features.dropLast().joined(separator: ", ")) and \(features[features.count - 1])"
    : features.first
  return [
    limitations.maxEditsPerDay.map { "\($0) edits a day" }, list.map { "no \($0)" },
  ].compactMap(\.self).joined(separator: ", ")
}
