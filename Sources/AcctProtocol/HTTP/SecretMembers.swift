import AcctModel
package import Secrets
import Text

/// Finds the secrets in messages by their names.
///
/// Not all of a body is secret: an answer that names a grant type or a client stays readable.
package enum SecretMembers {
  /// The direction of a message.
  ///
  /// An answer's `code` names its error, a request's is a secret.
  package enum Direction: Sendable { case sent, received }

  /// The secrets of a body: a form's, or those of JSON at any depth, even of JSON that is damaged.
  package static func ofBody(_ body: Secret, _ direction: Direction) -> [Secret] {
    var bytes = copy(body)
    let found: [Secret]
    // A byte order mark stands before JSON that only a lenient reader takes.
    switch bytes.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) {
    case nil: found = []
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): found = json(bytes, direction)
    default: found = form(bytes[...], direction)
    }
    // The copy ends as a secret does.
    _ = Secret(consuming: &bytes)
    return found
  }

  /// The secrets of a query, without its `?`, such as a callback's.
  package static func ofQuery(_ query: String) -> [Secret] { form(Array(query.utf8)[...], .sent) }

  /// The secrets of header fields: credentials, cookies, and fields named after a token or a key.
  ///
  /// A DPoP proof is none: it is good for one request, and only together with its token.
  package static func ofFields(_ fields: [(name: String, value: Secret)]) -> [Secret] {
    fields.flatMap { field -> [Secret] in
      let (name, value) = field
      if name.isField(among: ["authorization", "proxy-authorization"]) { return [credentials(in: value)] }
      let mark = UInt8(ascii: ";")
      if name.isSameField(as: "cookie") { return copy(value).split(separator: mark).compactMap(cookie) }
      if name.isSameField(as: "set-cookie") {
        return copy(value).split(separator: mark, maxSplits: 1).prefix(1).compactMap(cookie)
      }
      return isSecret(name.utf8, .sent) ? [value] : []
    }
  }

  /// The credentials in `Scheme credentials` (RFC 9110, section 11.4).
  private static func credentials(in value: Secret) -> Secret {
    value.withBytes { span in
      let start = span.indices.first { span[$0] == UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
      return Secret(span.extracting(start..<span.count))
    }
  }

  private static func cookie(_ pair: ArraySlice<UInt8>) -> Secret? {
    guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return Secret(pair[(mark + 1)...])
  }

  private static func copy(_ secret: Secret) -> [UInt8] { secret.withBytes { span in span.indices.map { span[$0] } } }
}

/// The values of a form's secret members (RFC 6749, appendix B).
private func form(_ text: ArraySlice<UInt8>, _ direction: SecretMembers.Direction) -> [Secret] {
  text.split(separator: UInt8(ascii: "&")).compactMap { pair in
    guard let mark = pair.firstIndex(of: UInt8(ascii: "=")), isSecret(pair[..<mark], direction) else { return nil }
    let encoded = pair[(mark + 1)...]
    var value = percentDecoded(encoded.span).bytes
    return Secret(consuming: &value)
  }
}

/// The strings that stand behind a secret member's name.
private func json(_ text: [UInt8], _ direction: SecretMembers.Direction) -> [Secret] {
  var found: [Secret] = []
  var rest = text[...]
  var name: ArraySlice<UInt8>?
  while let byte = rest.popFirst() {
    switch byte {
    case UInt8(ascii: "\""):
      var string = jsonString(&rest)
      if let name, isSecret(name, direction) { found.append(Secret(string)) }
      rest = rest.drop { " \t\r\n".utf8.contains($0) }
      name = rest.first == UInt8(ascii: ":") ? string[...] : nil
      if name == nil { _ = Secret(consuming: &string) }
    case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
    default: name = nil
    }
  }
  return found
}

/// The string whose opening quote has just been read; an escape of ASCII is undone.
private func jsonString(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
  var string: [UInt8] = []
  while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
    guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
      string.append(byte)
      continue
    }
    let digits = rest.prefix(4).compactMap(\.hexadecimalValue)
    if escaped == UInt8(ascii: "u"), digits.count == 4 {
      let value = digits.reduce(0) { $0 << 4 | Int($1) }
      string.append(value < 0x80 ? UInt8(value) : UInt8(ascii: "?"))
      rest = rest.dropFirst(4)
    } else {
      string.append(escaped)
    }
  }
  return string
}

/// `true` for the name of a secret member, in any spelling.
private func isSecret(_ name: some Collection<UInt8>, _ direction: SecretMembers.Direction) -> Bool {
  guard let name = PlainName(name) else { return false }
  if name.is("code") || name.is("state") { return direction == .sent }
  return ["d", "sid", "session", "seal"].contains(where: name.is)
    || [
      "token", "secret", "verifier", "assertion", "password", "passphrase", "devicecode",
      "authcode", "authorizationcode", "sessionid", "apikey", "privatekey",
    ].contains(where: name.ends)
}

/// The small letters and digits of a member's name: each field of each request is looked at, so without a copy on
/// the heap.
private struct PlainName {
  private var letters = InlineArray<64, UInt8>(repeating: 0)
  private var count = 0

  /// - Returns: `nil` for a text that is too long to be a name.
  init?(_ name: some Collection<UInt8>) {
    guard name.count <= 64 else { return nil }
    for byte in name where byte.isASCIIAlphanumeric {
      letters[count] = byte.isASCIICapital ? byte + 0x20 : byte
      count += 1
    }
  }

  func `is`(_ word: String) -> Bool { count == word.utf8.count && ends(with: word) }

  func ends(with word: String) -> Bool {
    var index = count - word.utf8.count
    guard index >= 0 else { return false }
    for byte in word.utf8 {
      guard letters[index] == byte else { return false }
      index += 1
    }
    return true
  }
}
