package import AcctModel
package import StrictJSON
package import Release
import Text

/// A flaw of a grant that costs nothing of what it grants.
package enum Blemish: Equatable, Sendable {
  /// The media type is not JSON's.
  case mediaType
  /// A form in place of JSON.
  case form
  /// It is not well-formed JSON: a byte order mark, a member twice, bytes that are not UTF-8.
  case malformed
  /// A member that is empty or can't be used, and counts as missing.
  case member(String)
  /// The scope is a list.
  case scopeList
  /// The scope is neither a text nor a list of texts: what was granted is not known.
  case scopeUnknown
  /// The end, in a member that can't be read: when the token expires is not known from it.
  case end(String)
  /// An ID token that can't be read, and was not asked for.
  case idToken
}

/// The members of an answer that grants something.
///
/// What a server says about a token is never a reason to lose it: a member that can't be used counts as missing, and
/// the blemish is kept to be told.
package struct GrantMembers: Sendable {
  package let object: JSONObject
  /// The server's time when it answered; `nil` if it did not tell.
  package let serverTime: Timestamp?
  package private(set) var blemishes: [Blemish]

  package init(_ object: JSONObject, _ blemishes: [Blemish] = [], at serverTime: Timestamp? = nil) {
    self.object = object
    self.serverTime = serverTime
    self.blemishes = blemishes
  }

  /// All members.
  package var json: JSON { .object(object) }

  mutating func note(_ blemish: Blemish) { if !blemishes.contains(blemish) { blemishes.append(blemish) } }

  /// A member; `nil` for `null` and for an empty text, which mean the same.
  mutating func value(_ name: String) -> JSON? {
    guard let value = object[name], value != .null else { return nil }
    guard value.stringValue?.isEmpty != true else {
      note(.member(name))
      return nil
    }
    return value
  }

  /// A text without blanks around it; a whole number is its digits.
  mutating func text(_ name: String) -> String? { parsed(name) { $0 } }

  /// A text that a parser takes.
  mutating func parsed<Value>(_ name: String, _ parse: (String) throws(ParseError) -> Value) -> Value? {
    guard let value = value(name) else { return nil }
    if let text = value.identifier?.withoutBlanks, !text.isEmpty, let found = try? parse(text) { return found }
    note(.member(name))
    return nil
  }

  package mutating func token(_ name: String) -> Token? { parsed(name, Token.init) }

  /// A number of seconds, however it is written; one that is not positive says nothing.
  package mutating func seconds(_ name: String) -> Int64? {
    guard let value = value(name) else { return nil }
    if let seconds = value.looseSeconds { return seconds }
    note(.member(name))
    return nil
  }

  /// The scope: a text, or a list of them.
  mutating func scope(_ name: String = "scope") -> String? {
    guard let value = value(name) else { return nil }
    if let text = value.stringValue { return text }
    guard let words = value.scopeWords else {
      note(.scopeUnknown)
      return nil
    }
    note(.scopeList)
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}

extension JSON {
  /// An identifier: a text, or the digits of a whole number, which some servers send in its place.
  package var identifier: String? {
    guard let number = numberValue else { return stringValue }
    if let integer = number.integer { return String(integer) }
    return number.literal.utf8.allSatisfy(\.isASCIIDigit) ? number.literal : nil
  }

  /// A number, also where it is (wrongly, but seen) written as a string.
  package var looseNumber: Double? { (numberValue ?? stringValue.flatMap(JSONNumber.init))?.double }

  /// A positive number of whole seconds, in a string perhaps with blanks around it.
  var looseSeconds: Int64? {
    let text = stringValue.map { JSON.string($0.withoutBlanks) }
    guard let number = (text ?? self).looseNumber, number >= 1, number < 1e15 else { return nil }
    return Int64(number.rounded(.down))
  }

  /// The words of a scope that is a list; `nil` unless it is one of texts.
  var scopeWords: [String]? {
    guard let list = arrayValue else { return nil }
    let words = list.compactMap(\.stringValue)
    return words.count == list.count ? words.filter { !$0.isEmpty } : nil
  }
}

extension String {
  /// The text without white space at its ends.
  var withoutBlanks: String {
    let kept = unicodeScalars.drop { $0.properties.isWhitespace }
    guard let end = kept.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(kept[...end])
  }
}
