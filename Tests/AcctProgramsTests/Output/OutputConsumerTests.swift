import Release
import AcctModel
import AcctPrograms
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// The formats as the programs read them that they are for.
@Suite("Values of output, read by the programs that they are for")
struct OutputConsumerTests {
  /// A value for each character of ASCII that is no letter and no digit, and some that were built to begin another value.
  private static let values =
    (0x20..<0x7F).compactMap { Unicode.Scalar($0 as UInt32) }.filter {
      !$0.properties.isAlphabetic && !("0"..."9" ~= $0)
    }
    .map { "/a\($0)b" }
    + [
      "/a\"\u{301}x", "/it's\u{301} \\", "/$(touch x)`id`", "/%s%u%%", "/a\\nb", "/é\u{200D}世", "/ a ",
      "/x\"\noutput = \"y",
      "/tab\there", "/a\r\nb", "/v\u{0B}b", "/:pass", "/a\\:b\\\\:c",
    ]

  @Test("A shell reads each word as the value, and evaluates nothing")
  func shell() async throws {
    let values = Self.values.filter { (try? OutputFormat.shellWord.written($0)) != nil }
    let words = try values.map(OutputFormat.shellWord.written).joined(separator: " ")
    let output = try await ChildProcess("sh", ["-c", "printf '%s\\0' \(words)"]).run()
    #expect(output.standardOutput == values.flatMap { Array($0.utf8) + [0] })
    #expect(values.count > 40 && output.standardError.isEmpty)
  }

  @Test("A program finds each value in its environment")
  func variable() async throws {
    for value in ["a\nB=c", " a\u{7F}\u{9B} ", "$x`id`"] {
      var child = ChildProcess("sh", ["-c", "printf %s \"$VALUE\""])
      child.environment["VALUE"] = try OutputFormat.variable.written(value)
      #expect(try await child.run().text == value)
    }
  }

  @Test("Python reads each string of JSON as the value, and as AWS's libraries split a command line")
  func python() async throws {
    let controls = (UInt8(0)..<0x20).map { "\(Unicode.Scalar($0))" } + ["\u{7F}", "\u{85}", "\u{2028}", "\u{E0067}"]
    let values = Self.values + controls
    let json = try values.map { text(of: try OutputFormat.json.written(Secret($0))) }.joined(separator: "\n")
    let code = "import json,sys\nfor l in sys.stdin.buffer.read().split(b'\\n'): print(json.loads(l).encode().hex())"
    let output = try await ChildProcess("python3", ["-c", code], input: json).run()
    #expect(output.text.split(separator: "\n").map(String.init) == values.map(hex), "\(output.errorText)")
    let words = Self.values.filter { (try? OutputFormat.shellWord.written($0)) != nil }
    let split = try await ChildProcess(
      "python3",
      ["-c", "import shlex,sys\nfor w in shlex.split(sys.stdin.read()): print(w.encode().hex())"],
      input: try words.map(OutputFormat.shellWord.written).joined(separator: " ")
    ).run()
    #expect(split.text.split(separator: "\n").map(String.init) == words.map(hex), "\(split.errorText)")
  }

  @Test("curl gets exactly the files of a certificate, and no password and no other option")
  func certificate() async throws {
    for value in Self.values {
      let config = try ClientCertificate.Files(certificate: value, key: value).curlConfig()
      let input = text(of: config) + "url = \"file:///dev/null\"\n"
      let output = try await ChildProcess("curl", ["-q", "-sS", "-K", "-", "--libcurl", "-"], input: input).run()
      let options = output.text.split(separator: "\n").compactMap { line -> Substring? in
        let start = "  curl_easy_setopt(hnd, CURLOPT_"
        return line.hasPrefix(start) ? line.dropFirst(start.utf8.count) : nil
      }
      let literal = inC(value)
      #expect(options.contains("SSLCERT, \"\(literal)\");"), "\(value.debugDescription): \(options)")
      #expect(options.contains("SSLKEY, \"\(literal)\");"), "\(value.debugDescription): \(options)")
      #expect(!options.contains { $0.hasPrefix("KEYPASSWD") }, "\(options)")
      #expect(options.count(where: { $0.hasPrefix("SSL") }) == 2, "\(options)")
    }
  }

  @Test("curl gets exactly the header lines")
  func headers() async throws {
    let values = Self.values.filter { (try? OutputFormat.fieldValue.written($0)) != nil }
    let fields = values.map { HeaderField("X-A", Secret($0)) }
    let input = text(of: try fields.curlConfig()) + "url = \"file:///dev/null\"\n"
    let output = try await ChildProcess("curl", ["-q", "-sS", "-K", "-", "--libcurl", "-"], input: input).run()
    let lines = output.text.split(separator: "\n").filter { $0.contains(" = curl_slist_append(") }
    #expect(lines.count == values.count && values.count > 35)
    for (line, value) in zip(lines, values) { #expect(line.hasSuffix("\"X-A: \(inC(value))\");"), "\(line)") }
  }

  @Test("git gets the user and the password, and no other attribute")
  func git() async throws {
    let folder = try TemporaryFolder()
    let question = Secret("protocol=https\nhost=git.example\n")
    let program = try GitCredentials(HelperQuestion(["get"], question))
    for value in Self.values {
      let secret = Secret(value)
      guard let token = (try? Token(secret)) ?? (try? Token(password: secret)) else { continue }
      var credential = try credential(for: "https://git.example/", .basic(user: value), until: nil)
      credential.token = token.secret
      let answer = try program.answer(credential)
      let file = try folder.file("answer", containing: Array(text(of: answer.output).utf8))
      let output = try await ChildProcess(
        "git",
        ["-c", "credential.helper=", "-c", "credential.helper=!cat \(file); :", "credential", "fill"],
        input: "protocol=https\nhost=git.example\n\n"
      ).run()
      let expected = "protocol=https\nhost=git.example\nusername=\(value)\npassword=\(value)\n"
      #expect(output.standardOutput == Array(expected.utf8), "\(output.errorText)")
    }
  }

  private func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A literal of C, as curl writes it.
  private func inC(_ text: String) -> String {
    text.utf8.reduce(into: "") { literal, byte in
      switch byte {
      case UInt8(ascii: "\\"): literal += "\\\\"
      case UInt8(ascii: "\""): literal += "\\\""
      case UInt8(ascii: "?"): literal += "\\?"
      case 0x09: literal += "\\t"
      case 0x0A: literal += "\\n"
      case 0x0D: literal += "\\r"
      case 0x0B, 0x20..<0x7F: literal.unicodeScalars.append(Unicode.Scalar(byte))
      default: literal += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }
}
