import AcctModel
import StrictJSON

/// Typed access to the members of a handoff, in either spelling.
///
/// Apps' backends write `accessToken`, OAuth servers `access_token`; `null` and an empty text are the same as not
/// there; a member in both spellings is an error, since nothing says which one counts.
struct HandoffMembers {
  private let object: JSONObject

  /// Other names of members, from the files of OAuth libraries; the first that is there counts.
  ///
  /// google-auth; Go's oauth2 and rclone; google-auth-library (milliseconds); oauth2client; MSAL (seconds); Spring and
  /// others; Doorkeeper's answers.
  private static let otherNames: [String: [String]] = [
    "accessToken": ["token"], "scope": ["scopes"],
    "expiresAt": [
      "expiry", "expiry_date", "token_expiry", "expires_on", "access_token_expiration", "accessTokenExpiration",
      "access_token_expires_at", "accessTokenExpiresAt",
    ],
    "issuedAt": ["obtained_at", "obtainedAt", "created_at"],
  ]

  init(_ json: JSON) throws(HandoffError) {
    guard let object = json.objectValue else { throw .notAnObject }
    self.object = object
  }

  /// A member that is there.
  struct Member {
    /// As it is spelled here, so that errors name what the user finds in the file.
    let name: String
    let value: JSON
  }

  /// A member by its camel-case name.
  func member(_ name: String) throws(HandoffError) -> Member? {
    let members = [name, snakeCased(name)].uniqued.compactMap { spelling in
      object[spelling].map { Member(name: spelling, value: $0) }
    }.filter { $0.value != .null && $0.value != "" }
    guard members.count <= 1 else { throw .member(name, .doubled) }
    if let member = members.first { return member }
    for name in Self.otherNames[name] ?? [] {
      if let value = object[name], value != .null, value != "" { return Member(name: name, value: value) }
    }
    return nil
  }

  /// The spelling that a missing member would have beside those that are there.
  func spelling(of name: String) -> String { object.names.contains { $0.contains("_") } ? snakeCased(name) : name }

  func value(_ name: String) throws(HandoffError) -> JSON? { try member(name)?.value }

  func string(_ name: String) throws(HandoffError) -> String? {
    guard let member = try member(name) else { return nil }
    return try Self.string(member)
  }

  /// A member that a type of the model parses.
  func parsed<Value>(_ name: String, as parse: (String) throws(ParseError) -> Value) throws(HandoffError) -> Value? {
    guard let member = try member(name) else { return nil }
    return try Self.parsed(member.name, try Self.string(member), parse)
  }

  func origins(_ name: String) throws(HandoffError) -> [Origin] {
    guard let member = try member(name) else { return [] }
    guard let elements = member.value.arrayValue else { throw .member(member.name, .notAnArrayOfStrings) }
    var origins: [Origin] = []
    for element in elements {
      guard let text = element.stringValue else { throw .member(member.name, .notAnArrayOfStrings) }
      let origin = try Self.parsed(member.name, text, Origin.init)
      if !origins.contains(origin) { origins.append(origin) }
    }
    return origins
  }

  /// The scope: a text, or a list of texts; `nil` also where it is anything else.
  func scope() throws(HandoffError) -> String? {
    guard let value = try value("scope") else { return nil }
    return value.stringValue ?? value.scopeWords.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
  }

  /// Seconds, as a number or as a text, of which 0 and anything else say nothing: `nil`.
  ///
  /// Any number of seconds in the past is accepted: a file may be older than its token.
  func seconds(_ name: String) throws(HandoffError) -> Int64? {
    guard let number = try value(name)?.looseNumber, number < 1e15 else { return nil }
    let seconds = Int64(max(number, -1e15).rounded(.down))
    return seconds == 0 ? nil : seconds
  }

  /// A time in RFC 3339, which is in UTC without a zone (Python writes none), or in seconds or milliseconds; `nil` also
  /// for 0, for the year 1, which is Go's zero, and for anything else.
  func time(_ name: String) throws(HandoffError) -> Timestamp? {
    guard let value = try value(name) else { return nil }
    if let number = value.looseNumber { return number == 0 ? nil : Timestamp(number: number) }
    guard let text = value.stringValue, !text.hasPrefix(Self.goZero) else { return nil }
    return (try? Timestamp(text)) ?? (try? Timestamp("\(text)Z"))
  }

  /// The spelling of the member that has an end which can't be read; `nil` if it can, or says nothing.
  func unreadableEnd(_ name: String) throws(HandoffError) -> String? {
    guard let member = try member(name), member.value.looseNumber != 0,
      member.value.stringValue?.hasPrefix(Self.goZero) != true
    else { return nil }
    let isRead = name == "expiresIn" ? try seconds(name) != nil : try time(name) != nil
    return isRead ? nil : member.name
  }

  /// The year 1 in UTC, which Go writes for a time that is not set.
  private static let goZero = "0001-01-01"

  private static func string(_ member: Member) throws(HandoffError) -> String {
    guard let text = member.value.stringValue else { throw .member(member.name, .notAString) }
    return text
  }

  private static func parsed<Value>(
    _ name: String,
    _ text: String,
    _ parse: (String) throws(ParseError) -> Value
  ) throws(HandoffError) -> Value {
    do { return try parse(text) } catch .refusedURL(let refusal) {
      throw .refused(member: name, refusal)
    } catch {
      throw .member(name, .malformed)
    }
  }
}

extension [String] {
  fileprivate var uniqued: [String] { count == 2 && self[0] == self[1] ? [self[0]] : self }
}

/// `accessToken` as `access_token`.
private func snakeCased(_ name: String) -> String {
  var text = ""
  for character in name {
    if character.isUppercase {
      text += "_" + character.lowercased()
    } else {
      text.append(character)
    }
  }
  return text
}
