package import AcctModel

/// The contents of a backend's callback: a sealed session, and its owner.
package struct SessionCallback: Equatable, Sendable {
  package let session: SealedSession
  package let did: DID
  package let handle: Handle

  /// Reads the parameters of a callback.
  ///
  /// `access_token` and `refresh_token` may be there as well; they belong to the backend.
  /// Nothing in it proves where it came from: the caller has the backend confirm it.
  ///
  /// - Parameters:
  ///   - parameters: Each once.
  ///   - expected: The requested handle, if there was one.
  /// - Throws: ``CallbackFlaw``, for a parameter that is missing or malformed, or another
  ///   identity's handle.
  package init(_ parameters: QueryParameters, expecting expected: Handle?) throws(CallbackFlaw) {
    session = try Self.read("session_token", in: parameters) { text throws(ParseError) in try SealedSession(text) }
    did = try Self.read("did", in: parameters, DID.init)
    handle = try Self.read("handle", in: parameters, Handle.init)
    guard expected == nil || expected == handle else { throw .mismatched(name: "handle") }
  }

  private static func read<Value>(
    _ name: String,
    in parameters: QueryParameters,
    _ parse: (String) throws(ParseError) -> Value
  ) throws(CallbackFlaw) -> Value {
    guard let text = parameters[name] else { throw .incomplete(missing: name) }
    do { return try parse(text) } catch { throw .unfit(name: name) }
  }
}
