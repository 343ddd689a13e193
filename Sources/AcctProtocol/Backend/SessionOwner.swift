package import AcctModel
package import StrictJSON

/// The identity that a backend's answer about a session names.
package struct SessionOwner: Equatable, Sendable {
  package let did: DID?
  package let handle: Handle?

  /// No identity is named.
  package static let unnamed = SessionOwner(did: nil, handle: nil)

  private init(did: DID?, handle: Handle?) {
    self.did = did
    self.handle = handle
  }

  /// Reads the named identity.
  ///
  /// A `did` may also be called `sub`, and a `handle` `userHandle`, for old apps. Two different
  /// values are an error. A `sub` that is not a DID is the backend's own.
  ///
  /// - Parameter object: The answer, or the part of it that is about the session.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``.
  package init(_ object: JSONObject) throws(OAuthError) {
    let subject = try object.text("sub")?.hasPrefix("did:") == true ? try object.parsed("sub", DID.init) : nil
    let did = try object.parsed("did", DID.init)
    guard did == nil || subject == nil || did == subject else { throw .malformedAnswer(member: "sub") }
    func readHandle(_ member: String) throws(OAuthError) -> Handle? {
      do throws(OAuthError) { return try object.parsed(member, Handle.init) } catch {
        // Beside a DID, it is for people to read.
        guard did != nil || subject != nil else { throw error }
        return nil
      }
    }
    let alias = try readHandle("userHandle")
    let handle = try readHandle("handle")
    guard handle == nil || alias == nil || handle == alias else { throw .malformedAnswer(member: "userHandle") }
    self.init(did: did ?? subject, handle: handle ?? alias)
  }

  /// Another identity than the one that should be named.
  package struct Stranger: Equatable, Sendable {
    package let expected: String
    package let found: String
  }

  /// The identity that is named in place of an expected one; `nil` if no other is named.
  ///
  /// A DID may change its handle; a handle without its DID may be any identity's.
  ///
  /// - Parameters:
  ///   - did: The expected DID, if it is known.
  ///   - handle: The last known handle.
  /// - Returns: Both names.
  package func stranger(to did: DID?, _ handle: Handle?) -> Stranger? {
    if let found = self.did {
      guard found != did else { return nil }
      return Stranger(expected: did?.description ?? "no identity", found: found.description)
    }
    guard let found = self.handle, let handle, found != handle else { return nil }
    return Stranger(expected: handle.description, found: found.description)
  }
}

extension ServerAnswer {
  /// The identity that an answer about a session names, at its top or in its `payload`.
  var owner: SessionOwner {
    get throws(OAuthError) {
      guard let object else { return .unnamed }
      return try SessionOwner(object["payload"]?.objectValue ?? object)
    }
  }
}
