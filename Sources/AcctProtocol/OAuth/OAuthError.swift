package import AcctModel
import StrictJSON
import Text

/// An authorization server answered against the protocol.
///
/// Cases name members and codes, never tokens. Text that the server wrote is shown to the user
/// and must be made printable there.
package enum OAuthError: Error, Equatable, Sendable {
  /// Neither RFC 8414's nor OpenID Connect's metadata could be fetched.
  case noMetadata(status: Int)
  /// The metadata is malformed.
  case metadata(MetadataFlaw)
  /// The server lacks a required capability.
  case unsupported(Feature)
  /// An answer has another media type than JSON.
  case notJSON(status: Int)
  /// An answer is JSON, but malformed.
  case malformedAnswer(member: String)
  /// A userinfo, or an introspection, that has no member for its user.
  case userUnnamed(member: String, in: Statement)
  /// The server refused, in its own words (RFC 6749, section 5.2).
  case refused(code: String, description: String?, status: Int)
  /// The server refused without an error code.
  case unexplained(status: Int)
  /// A token of another type than the requested one.
  case tokenType(String)
  /// An ID token that does not answer the request.
  case idToken(IDToken.Flaw)
  /// A redirect that may not be followed.
  case redirected(to: String?)

  /// An answer about a token's user.
  package enum Statement: Equatable, Sendable { case userinfo, introspection }

  /// A flaw in a server's metadata.
  package enum MetadataFlaw: Error, Equatable, Sendable {
    case notJSON
    /// The `issuer` in it is another one, in these words, or none (RFC 8414, section 3.3).
    case issuer(expected: Issuer, found: String?)
    case missing(member: String)
    case malformed(member: String)
    case refused(member: String, ParseError.Refusal)
  }

  /// A feature that a server may lack.
  package enum Feature: String, Equatable, Sendable {
    case authorizationCode, deviceCode, codeChallengeS256, dpopES256
  }
}

/// A part of a request that an authorization server refuses and only the user can change, by the code of the error
/// (RFC 6749, section 5.2; RFC 8707, section 2).
package enum RefusedPart: String, Sendable, CaseIterable {
  case client = "invalid_client"
  /// The client is known, and may not do this.
  case use = "unauthorized_client"
  case scope = "invalid_scope"
  case resource = "invalid_target"
}

/// The words by which servers end a session or a device sign-in, as they are in `session-ends.json`.
///
/// Codes are compared by their letters and digits alone: `INVALID_GRANT` and `InvalidGrant` are `invalid_grant`.
package enum SessionEnds {
  /// A list of words in servers' errors, by what they mean.
  package enum List: String, CaseIterable, Sendable {
    /// The session has ended.
    case ended
    /// It has, if the server's description has one of ``names``.
    case endedIfNamed
    case names
    /// The request may succeed later, however often it was refused.
    case passing
    /// A device's code was not entered yet; it may be asked for again, more slowly.
    case pending, slower
    /// The user declined; the code was not entered in time.
    case denied, expired
  }

  /// The code of RFC 6749, section 5.2.
  package static let standard = "invalid_grant"

  private static let lists = (try? JSON(parsing: PackageResources.session_ends_json))?.objectValue

  /// The words of a list, by their letters and digits.
  package static func words(_ list: List) -> [String] {
    (lists?[list.rawValue]?.arrayValue ?? []).compactMap(\.stringValue).map(plain)
  }

  /// `true` if a list has a code, which some servers have a sentence behind: `invalid_grant: Token is expired.`.
  static func has(_ code: String, in list: List) -> Bool {
    words(list).contains(plain(String(code.prefix { $0 != ":" })))
  }

  /// `true` if a refusal names the refresh token or the session as its cause, in whole words: "proof of possession"
  /// names neither.
  ///
  /// - Parameters:
  ///   - description: The server's description.
  ///   - isAlone: `true` if there is no code beside it: then the session alone is not enough.
  /// - Returns: `true` if it does.
  static func names(_ description: String, isAlone: Bool) -> Bool {
    let parts = description.lowercased().split { !$0.isLetter && !$0.isNumber }
    let names = words(.names).filter { !isAlone || $0 != "session" }
    return parts.indices.contains { start in
      var text = ""
      for part in parts[start...] {
        text += part
        if names.contains(text) { return true }
      }
      return false
    }
  }

  private static func plain(_ text: String) -> String {
    String(
      decoding: text.lowercased().utf8.filter { $0.isASCIIDigit || $0.isASCIISmallLetter },
      as: UTF8.self
    )
  }
}

extension ServerAnswer {
  /// `true` if a token endpoint refuses a session for good, whatever its words, its status and the media type are.
  ///
  /// A server that wants fewer requests, or gave up waiting for one, has not looked at the session: 408, 425, 429.
  var endsSession: Bool {
    guard let errorCode, ![408, 425, 429].contains(status) else { return false }
    // Google's identity platform has its own code in the description, beside a general one.
    if [errorCode, description].compactMap(\.self).contains(where: { SessionEnds.has($0, in: .ended) }) { return true }
    guard status < 500, hasDescriptionAlone || SessionEnds.has(errorCode, in: .endedIfNamed) else { return false }
    let words = description ?? (hasDescriptionAlone ? errorCode : nil)
    return words.map { SessionEnds.names($0, isAlone: hasDescriptionAlone) } ?? false
  }
}

extension OAuthError {
  /// `true` for a refusal of a renewal that may be a session's end, although the server does not say so in a way that is
  /// known: it is, if it comes again later.
  package var mayBeEnd: Bool {
    switch self {
    case .refused(let code, _, let status):
      (200..<500).contains(status) && ![408, 425, 429].contains(status) && !SessionEnds.has(code, in: .passing)
    case .unexplained(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
    case .noMetadata, .metadata, .unsupported, .notJSON, .malformedAnswer, .userUnnamed, .tokenType, .idToken,
      .redirected:
      false
    }
  }
}
