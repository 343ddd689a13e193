import AcctModel
package import StrictJSON

/// The user who signed in, as a server's userinfo (OpenID Connect Core 1.0, section 5.3) or an address like it, an ID
/// token, or an introspection (RFC 7662) names them.
package struct UserIdentity: Equatable, Sendable {
  /// The permanent identifier of the user at this server.
  package let subject: String
  /// The name that people know the user by; it can change hands.
  package let name: String?

  /// In bytes.
  private static let longest = 255

  /// Reads the members of an answer; `nil` where nothing that can be compared tells one user from another.
  ///
  /// - Parameters:
  ///   - object: The answer.
  ///   - subject: The member for ``subject``; `sub` where `nil`. A whole number counts, too.
  ///   - name: The member for ``name``; the first that there is of OpenID Connect's where `nil`.
  package init?(_ object: JSONObject, subject: String? = nil, name: String? = nil) {
    guard let subject = Self.text(object[subject ?? "sub"]) else { return nil }
    self.subject = subject
    self.name = Self.name(in: object, name)
  }

  /// The name alone.
  package static func name(in object: JSONObject, _ member: String? = nil) -> String? {
    let members = member.map { [$0] } ?? ["preferred_username", "email", "name"]
    return members.lazy.compactMap { text(object[$0]) }.first
  }

  /// A short text that shows as itself, or a whole number.
  private static func text(_ value: JSON?) -> String? {
    let text =
      switch value {
      case .string(let text): text
      case .number(let number): number.integer.map(String.init) ?? ""
      case .null, .bool, .array, .object, nil: ""
      }
    let isUsable = (1...longest).contains(text.utf8.count) && printable(text) == text
    return isUsable ? text : nil
  }
}
