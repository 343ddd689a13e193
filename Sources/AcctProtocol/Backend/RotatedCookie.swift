package import AcctModel
import StrictJSON
import Text

/// The session that an answer's `Set-Cookie: sid=…` puts in place of the one in the request.
package struct RotatedCookie: Sendable {
  package let session: SealedSession
  /// The identity that the same answer names.
  package let owner: SessionOwner

  /// Finds the new session, if there is one.
  ///
  /// - Parameters:
  ///   - fields: The answer's header fields.
  ///   - status: Its status. A cookie with a 401 is not this user's: the session that was sent is
  ///     invalid there.
  ///   - answer: The answer, if it is about the session: other answers may name other identities.
  ///   - now: Decides whether `Expires` lies in the past.
  /// - Throws: ``OAuthError/malformedAnswer(member:)`` if the named identity can't be read.
  package init?(
    in fields: [(name: String, value: String)],
    status: Int,
    naming answer: ServerAnswer?,
    at now: Timestamp
  ) throws(OAuthError) {
    guard status != 401, let session = Self.session(in: fields, at: now) else { return nil }
    self.session = session
    owner = try answer?.owner ?? .unnamed
  }

  /// Finds the new session of any identity.
  ///
  /// Read as a browser would (RFC 6265, section 5.2): of several cookies of that name the last one
  /// counts. One that deletes the cookie is no credential, and neither is a value that is not a
  /// sealed session.
  ///
  /// - Parameters:
  ///   - fields: The answer's header fields.
  ///   - now: Decides whether `Expires` lies in the past.
  /// - Returns: The new session.
  package static func session(in fields: [(name: String, value: String)], at now: Timestamp) -> SealedSession? {
    let cookies = fields.filter { $0.name.isSameField(as: "set-cookie") }
      .map { $0.value.split(separator: ";", omittingEmptySubsequences: false).map(trimmed) }
    guard let cookie = cookies.last(where: { $0.first?.hasPrefix("sid=") == true }),
      let pair = cookie.first, !deletes(cookie.dropFirst(), at: now)
    else { return nil }
    var value = pair.dropFirst("sid=".utf8.count)
    if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
    return try? SealedSession(String(value))
  }

  /// `true` if the attributes put the cookie's end into the past; `Max-Age` counts before `Expires`.
  private static func deletes(_ attributes: ArraySlice<Substring>, at now: Timestamp) -> Bool {
    var expires: Timestamp?
    var age: Substring?
    for attribute in attributes {
      let parts = attribute.split(separator: "=", maxSplits: 1).map(trimmed)
      guard parts.count == 2 else { continue }
      switch parts[0].lowercased() {
      case "max-age": age = parts[1]
      case "expires": expires = HTTPDate.parse(String(parts[1]))
      default: continue
      }
    }
    if let age {
      let digits = age.hasPrefix("-") ? age.dropFirst() : age
      if !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) {
        return age.hasPrefix("-") || digits.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
      }
    }
    return expires.map { $0 <= now } ?? false
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = text.drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
    return start[...end]
  }
}
