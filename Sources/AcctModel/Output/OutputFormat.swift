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
