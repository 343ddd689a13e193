package import AcctModel

/// What a backend's callback brings: a sealed session, and whose it is.
package struct SessionCallback: Equatable, Sendable {
  package let session: SealedSession
  package let did: DID
  package let handle: Handle

  /// Reads the query of a callback.
  ///
  /// `access_token` and `refresh_token` may be there as well; they are the backend's business.
  /// Nothing in it proves where it came from: the caller has the backend confirm it.
  ///
  /// - Parameters:
  ///   - query: Without its `?`.
  ///   - expected: The handle that was asked for, if one was.
  /// - Returns: `nil` for anything but a callback that fits: a parameter that is missing, doubled
  ///   or malformed, or somebody else's handle.
  package init?(_ query: String, expecting expected: Handle?) {
    guard let parameters = try? QueryParameters(query),
      let sealed = parameters["session_token"], let session = try? SealedSession(sealed),
      let did = parameters["did"].flatMap({ try? DID($0) }),
      let handle = parameters["handle"].flatMap({ try? Handle($0) }),
      expected == nil || expected == handle
    else { return nil }
    self.session = session
    self.did = did
    self.handle = handle
  }
}
