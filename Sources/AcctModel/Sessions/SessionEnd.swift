/// The end of a session that its server has told.
extension Account {
  /// `true` if its session ends at ``sessionEndsAt`` however often it is renewed: by its protocol, or as a renewal has
  /// shown.
  package var isEndFixed: Bool { issuerSource == .did || marks.contains(.endStays) }

  /// Takes what the answer to a renewal says of the session's end.
  ///
  /// - Parameters:
  ///   - end: When the refresh token ends from now on; `nil` if the answer does not tell.
  ///   - isReplaced: `true` if the answer has a refresh token.
  package mutating func noteSessionEnd(_ end: Timestamp?, isReplaced: Bool) {
    guard issuerSource != .did, end != nil || sessionEndsAt != nil else { return }
    guard end != nil || !isReplaced else {
      sessionEndsAt = nil
      marks.remove(.endStays)
      return
    }
    // Both are rounded to seconds, and one of them may have been on its way for a while.
    let stays = end.flatMap { end in sessionEndsAt.map { end.seconds(since: $0) <= 60 } } ?? (sessionEndsAt != nil)
    if stays { marks.insert(.endStays) } else { marks.remove(.endStays) }
    sessionEndsAt = end ?? sessionEndsAt
  }
}
