import Secrets
import Testing

/// The secret of these tests: 26 characters, some of which are escaped in a form or base64.
private let secret = "s3cr3t/Zq+7~Wm-LONG_enough"

@Suite("Redacting a secret from a text")
struct RedactorTests {
  private let redactor = Redactor([Secret(secret), Secret("pin=42")])

  @Test("A text that shares only a token's beginning, as every JWT does, does not contain the token")
  func whole() {
    let redactor = Redactor([Secret("eyJhbGciOiJFUzI1NiJ9.made-up.token")])
    #expect(!redactor.findsWhole(in: "eyJhbGciOiJFUzI1NiJ9.a-nonce.of-a-server"))
    #expect(redactor.findsWhole(in: "n-eyJhbGciOiJFUzI1NiJ9.made-up.token"))
  }

  @Test(
    "A secret is redacted, however it is written",
    arguments: [
      (secret, "<redacted>"),
      ("bad token refresh_token=\(secret)&x=1", "bad token refresh_token=<redacted>&x=1"),
      ("(s3cr3t%2FZq%2B7%7EWm-LONG_enough)", "(<redacted>)"),
      ("(s3cr3t%2fZq%2b7~Wm-LONG_enough)", "(<redacted>)"),
      ("(s3cr3t%252FZq%252B7%257EWm-LONG_enough)", "(<redacted>)"),
      (#"{\"t\":\"s3cr3t\/Zq\u002b7~Wm-LONG_enough\"}"#, #"{\"t\":\"<redacted>\"}"#),
      ("twice: \(secret) \(secret).", "twice: <redacted> <redacted>."),
      ("before\u{1B}[31m\(secret)é", "before\u{1B}[31m<redacted>é"),
    ]
  )
  func written(_ text: String, _ shown: String) {
    #expect(redactor.redact(text) == shown)
    #expect(redactor.finds(in: text))
  }

  @Test("A secret in base64 is redacted at each alignment, in both alphabets, padded or not")
  func base64() {
    for before in ["", "x", "xy", "xyz"] {
      for isURL in [false, true] {
        for isPadded in [false, true] {
          let encoded = base64Text("\(before)\(secret)!", isURL, isPadded)
          for text in [encoded, "token \(encoded).", "a_\(encoded)", "%5B\(encoded)%5D"] {
            let shown = redactor.redact(text)
            #expect(shown.contains("<redacted>"), "\(text)")
            // What is left around it encodes no more than its neighbours.
            #expect(shown.count < text.count - encoded.count + 24, "\(shown)")
          }
        }
      }
    }
    let escaped = base64Text(secret, false, true).flatMap { "+/=".contains($0) ? percent($0) : "\($0)" }
    #expect(redactor.redact(String(escaped)).hasPrefix("<redacted>"))
  }

  @Test("A part of a secret is redacted from 8 characters on, and not a shorter one", arguments: 0...18)
  func parts(_ start: Int) {
    let characters = Array(secret)
    for length in 1...8 where start + length <= characters.count {
      let part = String(characters[start..<(start + length)])
      let shown = length < 8 ? "no: \(part)." : "no: <redacted>."
      #expect(redactor.redact("no: \(part).") == shown)
      #expect(
        redactor.redact(part.map(percent).joined()) == (length < 8 ? part.map(percent).joined() : "<redacted>")
      )
      for before in ["", "x", "xy"] {
        let encoded = base64Text(before + part, true, false)
        #expect(redactor.finds(in: encoded) == (length == 8), "\(part)")
      }
    }
  }

  @Test(
    "A redaction leaves every other text unchanged",
    arguments: [
      "", "no", "invalid_request", "the refresh_token is no longer valid", "invalid_grant",
      "https://client.example/metadata.json", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "%", "%4", "\\",
      "eyJhbGciOiJFUzI1NiJ9", "日本語の説明", String(repeating: "a", count: 5000),
    ]
  )
  func others(_ text: String) {
    #expect(redactor.redact(text) == text)
    #expect(!redactor.finds(in: text))
  }

  @Test("A short secret is redacted as a whole word, from 4 characters on")
  func short() {
    #expect(redactor.redact("no pin=42 here") == "no <redacted> here")
    #expect(redactor.redact("no spin=42, no pin=421") == "no spin=42, no pin=421")
    #expect(Redactor([Secret("abc")]).redact("no abc") == "no abc")
  }

  @Test("A text of more than 16 KiB is cut, and nothing of the secret is left at the cut")
  func long() {
    let text = String(repeating: ".", count: (1 << 14) - 12) + secret
    let shown = redactor.redact(text)
    #expect(shown.hasSuffix(".<redacted>…"))
    #expect(Redactor.none.redact(secret) == secret)
  }
}

private func percent(_ character: Character) -> String {
  character.utf8.map { "%" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
}

/// Base64 as RFC 4648 has it, written for these tests alone.
private func base64Text(_ text: String, _ isURL: Bool, _ isPadded: Bool) -> String {
  let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  let alphabet = Array(letters + (isURL ? "-_" : "+/"))
  let bytes = Array(text.utf8)
  var encoded = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for index in 0...group.count { encoded.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    if isPadded { encoded += String(repeating: "=", count: 3 - group.count) }
  }
  return encoded
}
