package import AcctModel
package import AcctProtocol
package import Release
package import Secrets
package import StrictJSON
import Text

/// A backend's sealed session, `Fe26.2*…`: opaque, and fit to be the value of its cookie.
///
/// Backends seal with iron (<https://github.com/hueniverse/iron>): `*`-separated fields of the
/// backend's making. Nothing behind the first one is looked at, but for what could end the cookie
/// and begin another (RFC 6265, section 4.1.1).
package struct SealedSession: Equatable, Sendable {
  /// The whole of it.
  package let token: Token

  /// Checks the form.
  ///
  /// - Parameter secret: The text to check.
  /// - Throws: ``ParseError/token``.
  package init(_ secret: Secret) throws(ParseError) {
    token = try Token(secret)
    let isSealed = secret.withBytes { bytes in
      let prefix = Array("Fe26.2*".utf8)
      return bytes.count > prefix.count && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
        && bytes.indices.allSatisfy { !"\",;\\".utf8.contains(bytes[$0]) }
        // All that follows being separators, it would be a form without a content.
        && bytes.indices.dropFirst(prefix.count).contains { bytes[$0] != UInt8(ascii: "*") }
    }
    guard isSealed else { throw .token }
  }

  /// Checks the form of text.
  ///
  /// - Throws: ``ParseError/token``.
  package init(_ text: String) throws(ParseError) { try self.init(Secret(text)) }
}

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

/// A backend's answer about a session, to `GET /api/auth/session`.
package enum SessionAnswer: Sendable {
  /// The session is valid.
  case valid(SessionDetails)
  /// The server ended it: 401 with a reason.
  case ended(reason: String)
  /// 401 for a fault of the backend's own, `exception_thrown`: worth another try.
  case exceptionThrown(reason: String)
  /// Rejected without a reason, which ends nothing.
  case refused(reason: String)
  /// Any other answer.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    switch (answer.status, answer.object) {
    case (200..<300, let object?):
      do { self = try Self.confirmation(object, answer) } catch { self = .unanswered(.failed(error)) }
    case (401, _): self = Self.refusal(answer.text("reason"), answer.errorCode)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func confirmation(_ object: JSONObject, _ answer: ServerAnswer) throws(OAuthError) -> SessionAnswer {
    guard let isValid = object["valid"]?.boolValue else { throw .malformedAnswer(member: "valid") }
    guard isValid else { return .refused(reason: answer.errorCode ?? "the backend says that it is not valid") }
    return .valid(try SessionDetails(object, showing: answer.shown))
  }

  private static func refusal(_ code: String?, _ errorCode: String?) -> SessionAnswer {
    guard let code, !code.isEmpty else {
      return .refused(reason: errorCode ?? "the backend answered 401 without a reason")
    }
    let name = String(code.prefix(64))
    let reason = errorCode.map { "\($0) (\(name))" } ?? name
    return code == "exception_thrown" ? .exceptionThrown(reason: reason) : .ended(reason: reason)
  }
}

/// The owner of a session, and its end.
///
/// The tokens that the answer may contain as well belong to the backend; they are not read.
package struct SessionDetails: Equatable, Sendable {
  package let owner: SessionOwner
  package let displayName: String?
  /// `nil`: until the backend says otherwise.
  package let expiresAt: Timestamp?

  init(_ object: JSONObject, showing shown: (String) -> String) throws(OAuthError) {
    owner = try SessionOwner(object)
    displayName = object["displayName"]?.stringValue.flatMap { $0.isEmpty ? nil : shown($0) }
    expiresAt = try Self.time(object["expiresAt"])
  }

  /// Milliseconds, seconds or ISO 8601: all are in use.
  private static func time(_ value: JSON?) throws(OAuthError) -> Timestamp? {
    guard let value, value != .null else { return nil }
    let time =
      value.looseNumber.flatMap { Timestamp(number: $0) }
      ?? value.stringValue.flatMap { try? Timestamp($0) }
    guard let time else { throw .malformedAnswer(member: "expiresAt") }
    return time
  }
}

/// A backend's answer to a request for a new session, to `GET /mobile/refresh-token`.
package enum SessionRefreshAnswer: Sendable {
  /// A new sealed session in place of the old one, and its owner.
  case granted(SealedSession, SessionOwner)
  /// It takes the session for none: 401.
  case refused(reason: String)
  /// It tried, and could not: worth one more try.
  case couldNot(reason: String)
  /// Anything else.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    let isDenied = answer.object?["success"] == .bool(false)
    switch (answer.status, answer.grant) {
    // The backend's own words distinguish its refusal from a proxy's page for a backend that is
    // down.
    case (200..<300, _) where isDenied, (500, _) where isDenied || answer.isError:
      self = .couldNot(reason: answer.errorCode ?? "the refresh failed")
    case (_, let grant?):
      do { self = try Self.grant(grant.object) } catch {
        self = .unanswered(answer.object == nil ? answer.noAnswer : .failed(error))
      }
    case (401, _): self = .refused(reason: answer.errorCode ?? "the refresh was refused")
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func grant(_ object: JSONObject) throws(OAuthError) -> SessionRefreshAnswer {
    guard object["success"] == .bool(true) else { throw .malformedAnswer(member: "success") }
    guard let payload = object["payload"]?.objectValue else { throw .malformedAnswer(member: "payload") }
    guard let session = try payload.parsed("sid", SealedSession.init(_:)) else { throw .malformedAnswer(member: "sid") }
    return .granted(session, try SessionOwner(payload))
  }
}

/// Members of an answer, `nil` where they are `null`, empty or not there.
extension JSONObject {
  func text(_ member: String) throws(OAuthError) -> String? {
    guard let value = self[member], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformedAnswer(member: member) }
    return text.isEmpty ? nil : text
  }

  /// A member that a type of the model parses.
  func parsed<Value>(_ member: String, _ parse: (String) throws(ParseError) -> Value) throws(OAuthError) -> Value? {
    guard let text = try text(member) else { return nil }
    do { return try parse(text) } catch { throw .malformedAnswer(member: member) }
  }
}

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
