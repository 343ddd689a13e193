package import Secrets
import Text

/// A place in a text that acct writes for another program, and the grammar of that place.
///
/// The formats below are the one table of what is escaped how and what is refused: a value goes out escaped by the whole
/// grammar of its place, or not at all. A value is text in UTF-8. Where a format has no escape for it, a control
/// character or a separator of lines is refused: it could end the value, and begin another.
package struct OutputFormat: Sendable {
  /// The name in a message, with its article.
  package let name: String
  /// The quotation mark before and behind a value.
  let quote: Unicode.Scalar?
  /// The characters beside letters and digits of which a value needs no quotes; `nil` if each needs them.
  let bare: String?
  /// The characters that do not stand for themselves.
  let escapes: KeyValuePairs<Unicode.Scalar, String>
  let rules: Rules

  /// The rules of a format, besides its escapes.
  struct Rules: OptionSet {
    let rawValue: UInt8

    /// Characters that can't be seen are written as `\u` and their number.
    static let numbersInvisible = Rules(rawValue: 1)
    /// Control characters stand for themselves, except for the one that ends a text of C.
    static let takesControls = Rules(rawValue: 2)
    static let isASCII = Rules(rawValue: 4)
    /// No character is a space.
    static let hasNoSpace = Rules(rawValue: 8)
    /// Each character is a `tchar` (RFC 9110, section 5.6.2).
    static let isToken = Rules(rawValue: 16)
    static let isNotEmpty = Rules(rawValue: 32)
    /// Its reader strips spaces at its ends.
    static let isTrimmed = Rules(rawValue: 64)
  }

  private init(
    _ name: String,
    in quote: Unicode.Scalar? = nil,
    unless bare: String? = nil,
    escaping escapes: KeyValuePairs<Unicode.Scalar, String> = [:],
    _ rules: Rules = []
  ) {
    self.name = name
    self.quote = quote
    self.bare = bare
    self.escapes = escapes
    self.rules = rules
  }

  /// A field's name on a header line (RFC 9110, section 5.1).
  package static let fieldName = OutputFormat("the name of a header line", [.isToken, .isNotEmpty])

  /// A field's value on a header line (RFC 9110, section 5.5).
  ///
  /// curl takes a line without a value as an order to send no such field.
  package static let fieldValue = OutputFormat("a header line", [.isASCII, .isNotEmpty, .isTrimmed])

  /// The rest of a line: a token or a path alone, the value of git's `KEY=VALUE`, an answer of `keyring`.
  package static let line = OutputFormat("a line")

  /// A string of JSON (RFC 8259, section 7), with the escapes that StrictJSON writes.
  package static let json = OutputFormat(
    "JSON",
    in: "\"",
    escaping: [
      "\"": #"\""#, "\\": #"\\"#, "\u{08}": #"\b"#, "\t": #"\t"#, "\n": #"\n"#, "\u{0C}": #"\f"#, "\r": #"\r"#,
    ],
    .numbersInvisible
  )

  /// An option's parameter in a config of curl (curl(1), `--config`).
  package static let curl = OutputFormat(
    "a config of curl",
    in: "\"",
    escaping: ["\"": #"\""#, "\\": #"\\"#, "\t": #"\t"#, "\n": #"\n"#, "\r": #"\r"#, "\u{0B}": #"\v"#]
  )

  /// The parameter of curl's `cert` there: a file, behind which a colon would begin a password (curl(1), `--cert`).
  package static let curlCertificate = OutputFormat(
    "a config of curl",
    in: "\"",
    escaping: [
      "\"": #"\""#, "\\": #"\\\\"#, ":": #"\\:"#, "\t": #"\t"#, "\n": #"\n"#, "\r": #"\r"#, "\u{0B}": #"\v"#,
    ],
    .isNotEmpty
  )

  /// A label's value in metrics (OpenMetrics 1.0, and the text format 0.0.4).
  package static let label = OutputFormat("a label", in: "\"", escaping: ["\"": #"\""#, "\\": #"\\"#, "\n": #"\n"#])

  /// A word of a POSIX shell (Shell Command Language, section 2.2.2).
  package static let shellWord = OutputFormat(
    "a shell's command line",
    in: "'",
    unless: "%+,-./:=@_",
    escaping: ["'": #"'\''"#]
  )

  /// The value of an environment variable.
  package static let variable = OutputFormat("an environment variable", .takesControls)

  /// The address of a terminal's hyperlink (OSC 8).
  package static let hyperlink = OutputFormat("a hyperlink", [.isASCII, .hasNoSpace, .isNotEmpty])

  /// The user in a response of the SASL mechanism XOAUTH2, which U+0001 ends.
  package static let xoauth2User = OutputFormat("a SASL response", .isNotEmpty)

  /// A `saslname` (RFC 5801, section 4).
  package static let saslName = OutputFormat("a SASL response", escaping: ["=": "=3D", ",": "=2C"], .isNotEmpty)

  /// An argument of `Exec` in a desktop entry (Desktop Entry Specification, "The Exec key").
  ///
  /// An escape has its backslash twice, for the argument and for the value of a key. xdg-open(1) without a desktop knows
  /// no quotes.
  package static let desktopArgument = OutputFormat(
    "a desktop entry",
    in: "\"",
    unless: "/._-+,:@",
    escaping: ["\"": #"\\""#, "`": #"\\`"#, "$": #"\\$"#, "\\": #"\\\\"#, "%": "%%"]
  )

  /// A value in a connection string of libpq (PostgreSQL, 34.1.1.1).
  package static let connectionValue = OutputFormat(
    "a connection string",
    in: "'",
    escaping: ["'": #"\'"#, "\\": #"\\"#]
  )

  /// Every row of the table.
  package static let all: [OutputFormat] = [
    .fieldName, .fieldValue, .line, .json, .curl, .curlCertificate, .label, .shellWord, .variable, .hyperlink,
    .xoauth2User, .saslName, .desktopArgument, .connectionValue,
  ]
}

/// A value has no form in a format; the value is not repeated.
package struct OutputFlaw: Error, Equatable, Sendable {
  /// The name of the format.
  package let format: String

  package init(in format: OutputFormat) { self.format = format.name }
}

extension OutputFormat {
  /// Writes a value in this format.
  ///
  /// - Returns: The value with its quotes and escapes.
  /// - Throws: ``OutputFlaw``.
  package func written(_ value: String) throws(OutputFlaw) -> String {
    guard !takesAsItIs(value.utf8Span.span) else { return value }
    var output: [UInt8] = []
    try write(value.utf8Span, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Writes text that people read as well: what they could not see is escaped for them before.
  ///
  /// - Returns: The text with its quotes and escapes.
  package func shown(_ text: String) -> String {
    // In a format that takes any text that can be seen, nothing is left to refuse.
    do { return try written(printable(text)) } catch { return "" }
  }

  /// Returns `true` if a value needs no quotes, where the format has some.
  package func isBare(_ value: String) -> Bool { isBare(value.utf8Span.span) }

  private func isBare(_ bytes: Span<UInt8>) -> Bool {
    guard let bare, bytes.count > 0 else { return false }
    return bytes.indices.allSatisfy { bytes[$0].isASCIIAlphanumeric || bare.utf8.contains(bytes[$0]) }
  }

  /// Returns `true` for a value that goes out as it is: most formats without quotes take any visible ASCII, as nearly every
  /// token is.
  private func takesAsItIs(_ bytes: Span<UInt8>) -> Bool {
    guard quote == nil, escapes.isEmpty, !rules.contains(.hasNoSpace) else { return isBare(bytes) }
    guard rules.contains(.isToken) else { return bytes.areVisible }
    return bytes.count > 0 && bytes.indices.allSatisfy { bytes[$0].isHTTPTokenCharacter }
  }

  /// Writes a secret in this format, without a copy that is not wiped.
  ///
  /// - Returns: The secret with its quotes and escapes.
  /// - Throws: ``OutputFlaw``.
  package func written(_ value: Secret) throws(OutputFlaw) -> Secret {
    try value.withBytes { bytes throws(OutputFlaw) in
      guard !takesAsItIs(bytes) else { return value }
      let text: UTF8Span
      do { text = try UTF8Span(validating: bytes) } catch { throw OutputFlaw(in: self) }
      var output: [UInt8] = []
      // Room for all of it, so that no shorter copy is left behind unwiped.
      output.reserveCapacity(bytes.count * Self.longestEscape + 2)
      do throws(OutputFlaw) { try write(text, to: &output) } catch {
        wipe(&output)
        throw error
      }
      return Secret(consuming: &output)
    }
  }

  /// The most bytes that one byte of a value becomes: those of `\u001b`.
  static let longestEscape = 6

  private func write(_ text: UTF8Span, to output: inout [UInt8]) throws(OutputFlaw) {
    guard !rules.contains(.isNotEmpty) || !text.isEmpty else { throw OutputFlaw(in: self) }
    let bytes = text.span
    let isAtEnds = bytes.count > 0 && (bytes[0] == 0x20 || bytes[bytes.count - 1] == 0x20)
    guard !rules.contains(.isTrimmed) || !isAtEnds else { throw OutputFlaw(in: self) }
    if let quote { output.append(contentsOf: quote.utf8) }
    var scalars = text.makeUnicodeScalarIterator()
    while let scalar = scalars.next() { try write(scalar, to: &output) }
    if let quote { output.append(contentsOf: quote.utf8) }
  }

  /// Writes one character.
  ///
  /// By scalars: a quotation mark under an accent is one `Character` that is no quotation mark, and ends a value.
  private func write(_ scalar: Unicode.Scalar, to output: inout [UInt8]) throws(OutputFlaw) {
    if let escape = escapes.first(where: { $0.key == scalar }) {
      output.append(contentsOf: escape.value.utf8)
    } else if rules.contains(.numbersInvisible), !scalar.isPlain {
      // Two for the surrogates of a scalar beyond the basic plane.
      for unit in scalar.utf16 {
        output.append(contentsOf: "\\u".utf8)
        output.append(hexadecimal: UInt8(unit >> 8))
        output.append(hexadecimal: UInt8(unit & 0xFF))
      }
    } else {
      guard takes(scalar) else { throw OutputFlaw(in: self) }
      output.append(contentsOf: scalar.utf8)
    }
  }

  /// Returns `true` if a character stands for itself.
  private func takes(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar != "\0" else { return false }
    if rules.contains(.takesControls) { return true }
    if rules.contains(.isToken) { return scalar.isASCII && UInt8(scalar.value).isHTTPTokenCharacter }
    guard scalar != " " || !rules.contains(.hasNoSpace) else { return false }
    return (0x20..<0x7F).contains(scalar.value) || !rules.contains(.isASCII) && !scalar.isControl
  }
}

extension Span<UInt8> {
  /// `true` for ASCII that can be seen, with spaces between it.
  fileprivate var areVisible: Bool {
    guard count > 0, self[0] != 0x20, self[count - 1] != 0x20 else { return false }
    // Without a way out in the middle, sixteen bytes are looked at in one step.
    var odd: UInt8 = 0
    for index in indices { odd |= self[index] &- 0x20 > 0x5E ? 1 : 0 }
    return odd == 0
  }
}

extension Unicode.Scalar {
  /// `true` for a control character, also of the second half (U+0080 to U+009F), and a separator of lines.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
