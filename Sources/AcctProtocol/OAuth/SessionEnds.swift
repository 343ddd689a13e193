import StrictJSON
import Text

/// The words by which servers end a session or a device sign-in, as they are in `session-ends.json`.
///
/// Codes are compared by their letters and digits alone: `INVALID_GRANT` and `InvalidGrant` are `invalid_grant`.
package enum SessionEnds {
  /// What a list of codes is about.
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
