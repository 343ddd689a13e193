import AcctModel
import Secrets
import Testing

/// A format, and each character that it does not write as it is.
struct FormatRow: Sendable, CustomStringConvertible {
  let format: OutputFormat
  let quote: String
  let escapes: [Unicode.Scalar: String]
  /// Visible characters that have no form in it.
  var refused = ""
  var takesEmpty = true

  var description: String { "\(format.name) \(quote) \(refused)" }

  static let all = [
    FormatRow(
      format: .fieldName,
      quote: "",
      escapes: [:],
      refused: "\" \\(),/:;<=>?@[]{}é",
      takesEmpty: false
    ),
    FormatRow(format: .fieldValue, quote: "", escapes: [:], refused: "é", takesEmpty: false),
    FormatRow(format: .line, quote: "", escapes: [:]),
    FormatRow(
      format: .json,
      quote: "\"",
      escapes: [
        "\"": "\\\"", "\\": "\\\\", "\u{08}": "\\b", "\t": "\\t", "\n": "\\n", "\u{0C}": "\\f", "\r": "\\r",
        "\0": "\\u0000", "\u{1B}": "\\u001b", "\u{7F}": "\\u007f", "\u{85}": "\\u0085", "\u{9B}": "\\u009b",
        "\u{2028}": "\\u2028", "\u{2029}": "\\u2029", "\u{202E}": "\\u202e", "\u{E0067}": "\\udb40\\udc67",
      ]
    ),
    FormatRow(
      format: .curl,
      quote: "\"",
      escapes: ["\"": "\\\"", "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\u{0B}": "\\v"]
    ),
    FormatRow(
      format: .curlCertificate,
      quote: "\"",
      escapes: [
        "\"": "\\\"", "\\": "\\\\\\\\", ":": "\\\\:", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\u{0B}": "\\v",
      ],
      takesEmpty: false
    ),
    FormatRow(format: .label, quote: "\"", escapes: ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"]),
    FormatRow(format: .shellWord, quote: "'", escapes: ["'": "'\\''"]),
    FormatRow(format: .variable, quote: "", escapes: [:]),
    FormatRow(format: .hyperlink, quote: "", escapes: [:], refused: " é", takesEmpty: false),
    FormatRow(format: .xoauth2User, quote: "", escapes: [:], takesEmpty: false),
    FormatRow(format: .saslName, quote: "", escapes: [",": "=2C", "=": "=3D"], takesEmpty: false),
    FormatRow(
      format: .desktopArgument,
      quote: "\"",
      escapes: ["\"": "\\\\\"", "`": "\\\\`", "$": "\\\\$", "\\": "\\\\\\\\", "%": "%%"]
    ),
    FormatRow(format: .connectionValue, quote: "'", escapes: ["'": "\\'", "\\": "\\\\"]),
  ]

  /// The value as both ways of writing it have it; `nil` where it is refused.
  func written(_ value: String) -> String? {
    let secret = (try? format.written(Secret(value))).map(text)
    let same = try? format.written(value)
    #expect(secret == same, "\(self): \(value.debugDescription)")
    return same
  }

  func text(_ secret: Secret) -> String {
    secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }
}

@Suite("The formats of output")
struct OutputFormatTests {
  /// C0, DEL, C1 and the separators of lines.
  private static let controls = (Array(0..<0x20) + Array(0x7F..<0xA0) + [0x2028, 0x2029]).compactMap {
    Unicode.Scalar($0 as UInt32)
  }

  @Test("Every format is a row of the tests")
  func whole() { #expect(FormatRow.all.count == OutputFormat.all.count) }

  @Test("Every control character is escaped, or the value is refused", arguments: FormatRow.all)
  func controls(row: FormatRow) {
    for scalar in Self.controls {
      let written = row.written("a#\(scalar)b")
      if let escape = row.escapes[scalar] {
        #expect(written == "\(row.quote)a#\(escape)b\(row.quote)", "\(row) U+\(scalar.value)")
      } else if row.format.name == OutputFormat.json.name {
        let digits = String(scalar.value, radix: 16)
        let number = String(repeating: "0", count: 4 - digits.utf8.count) + digits
        #expect(written == "\"a#\\u\(number)b\"", "\(row) U+\(scalar.value)")
      } else if row.format.name == OutputFormat.variable.name, scalar != "\0" {
        #expect(written == "a#\(scalar)b")
      } else {
        #expect(written == nil, "\(row) U+\(scalar.value)")
      }
    }
  }

  @Test(
    "Every character that can be seen is written, escaped or refused as its format has it",
    arguments: FormatRow.all
  )
  func visible(row: FormatRow) {
    let visible = (0x20..<0x7F).compactMap { Unicode.Scalar($0 as UInt32) } + ["é", "\u{202E}", "\u{E0067}"]
    for scalar in visible {
      let written = row.written("#\(scalar)#")
      let isASCIIOnly = row.refused.contains("é") && !scalar.isASCII
      if isASCIIOnly || row.refused.unicodeScalars.contains(scalar) {
        #expect(written == nil, "\(row) \(scalar)")
      } else {
        #expect(written == "\(row.quote)#\(row.escapes[scalar] ?? "\(scalar)")#\(row.quote)", "\(row) \(scalar)")
      }
    }
  }

  @Test("A mark that joins a character hides none that has to be escaped", arguments: FormatRow.all)
  func marks(row: FormatRow) {
    for (scalar, escape) in row.escapes where scalar.value >= 0x20 && scalar.value < 0x7F {
      let written = row.written("#\(scalar)\u{301}")
      // Compared by scalars: two texts that look the same are equal as strings.
      let expected = "\(row.quote)#\(escape)\u{301}\(row.quote)"
      #expect(written.map { Array($0.utf8) } == Array(expected.utf8), "\(row) \(scalar)")
    }
  }

  @Test("An empty value, and blanks at the ends, are kept or refused, and never lost", arguments: FormatRow.all)
  func ends(row: FormatRow) {
    #expect(row.written("") == (row.takesEmpty ? row.quote + row.quote : nil), "\(row)")
    for value in [" a", "a ", " "] {
      let isRefused =
        [OutputFormat.fieldName.name, OutputFormat.fieldValue.name, OutputFormat.hyperlink.name]
        .contains(row.format.name)
      #expect(row.written(value) == (isRefused ? nil : "\(row.quote)\(value)\(row.quote)"), "\(row)")
    }
  }

  @Test("Bytes that are no text are refused in every format", arguments: FormatRow.all)
  func noText(row: FormatRow) {
    for bytes: [UInt8] in [[0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x9B], [0xE2, 0x80]] {
      #expect(throws: OutputFlaw(in: row.format)) { try row.format.written(Secret(bytes)) }
    }
  }

  @Test("A plain word of a shell and of a desktop entry has no quotes")
  func bare() throws {
    #expect(try OutputFormat.shellWord.written("https://a.example/%20,x") == "https://a.example/%20,x")
    #expect(try OutputFormat.desktopArgument.written("/usr/bin/acct") == "/usr/bin/acct")
    #expect(try OutputFormat.desktopArgument.written("/a%b") == "\"/a%%b\"")
  }
}
