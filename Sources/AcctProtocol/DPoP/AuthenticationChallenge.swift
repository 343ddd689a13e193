import AcctModel
import StrictJSON

/// One challenge of a `WWW-Authenticate` field (RFC 9110, section 11.6.1).
package struct AuthenticationChallenge: Equatable, Sendable {
  /// The scheme, such as `dpop`, in lower case.
  package let scheme: String
  /// The parameters by name, in lower case; the first counts where one is given twice.
  package private(set) var parameters: [String: String] = [:]

  /// Reads a field's value, which may hold several challenges: `Bearer realm="a", DPoP error="b"`.
  ///
  /// Text that is not well-formed ends the list; the challenges before it are kept, since one server in front of
  /// another may write a challenge that is not well-formed.
  package static func parse(_ value: String) -> [AuthenticationChallenge] {
    var scanner = FieldScanner(value)
    var challenges: [AuthenticationChallenge] = []
    while true {
      scanner.skip { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
      guard let word = scanner.token() else { return challenges }
      let hasSpace = scanner.skip { $0 == 0x20 || $0 == 0x09 }
      if let last = challenges.indices.last, scanner.take("=") {
        // A name and its value: a parameter of the challenge before.
        scanner.skip { $0 == 0x20 || $0 == 0x09 }
        guard let text = scanner.quotedString() ?? scanner.token() else { return challenges }
        let name = word.lowercased()
        challenges[last].parameters[name] = challenges[last].parameters[name] ?? text
      } else {
        challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
        if hasSpace { scanner.skipToken68() }
      }
    }
  }
}

/// A position in a header field's value, and the few forms that stand there (RFC 9110, 5.6).
private struct FieldScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  @discardableResult
  mutating func skip(while condition: (UInt8) -> Bool) -> Bool {
    let start = position
    while position < bytes.count, condition(bytes[position]) { position += 1 }
    return position > start
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func token() -> String? {
    let start = position
    guard skip(while: \.isHTTPTokenCharacter) else { return nil }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  mutating func quotedString() -> String? {
    let start = position
    guard take("\"") else { return nil }
    var content: [UInt8] = []
    while position < bytes.count {
      if take("\"") { return String(decoding: content, as: UTF8.self) }
      _ = take("\\")
      guard position < bytes.count else { break }
      content.append(bytes[position])
      position += 1
    }
    position = start
    return nil
  }

  /// Steps over the bare credentials that a scheme may have in place of parameters.
  mutating func skipToken68() {
    let start = position
    skip { $0.isHTTPTokenCharacter || $0 == UInt8(ascii: "/") }
    skip { $0 == UInt8(ascii: "=") }
    skip { $0 == 0x20 || $0 == 0x09 }
    // Anything but the end of this challenge means that it was a parameter's name.
    if position < bytes.count, bytes[position] != UInt8(ascii: ",") { position = start }
  }
}
