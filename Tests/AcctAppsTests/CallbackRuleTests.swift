import AcctApps
import AcctProtocol
import Testing

@Suite("Rules for a backend's callback")
struct CallbackRuleTests {
  private func read(
    _ address: String,
    expecting prefix: String? = nil,
    _ required: [String] = ["code"]
  ) throws(CallbackFlaw) -> CallbackRule.Reading {
    var expected: CallbackPlace?
    if let prefix { expected = try CallbackPlace(prefix: prefix) }
    return try CallbackRule(expected: expected, required: required).read(address)
  }

  @Test(
    "A callback is an app's scheme or loopback, with all required parameters",
    arguments: [
      "limit://auth?code=c", "LIMIT://Auth?code=c", "limit:auth?code=c", "com.example.app:/auth?code=c",
      "http://127.0.0.1:8080/callback?code=c", "http://localhost/x?code=c", "http://[::1]:9/?code=c",
      "https://localhost/?code=c", "  limit://auth?code=c \t", "limit://auth?code=c#code=d",
      "limit://auth?code=%63&other=1",
    ]
  )
  func complete(address: String) throws {
    guard case .complete(let parameters) = try read(address) else {
      Issue.record("not complete")
      return
    }
    #expect(parameters["code"] == "c")
  }

  @Test(
    "A malformed callback is rejected with the reason",
    arguments: [
      ("http://app.example/callback?code=c", .foreign),
      ("https://app.example/callback?code=c", .foreign),
      ("https://127.0.0.1.evil.test/callback?code=c", .foreign),
      ("javascript:alert(1)?code=c", .foreign),
      ("file:///tmp/x?code=c", .foreign),
      ("http://127.0.0.1@evil.test/callback?code=c", .malformed),
      ("limit://a@auth?code=c", .malformed),
      ("limit://au%74h?code=c", .malformed),
      ("limit://auth/../x?code=c", .malformed),
      ("limit://auth/%2e%2E/x?code=c", .malformed),
      ("limit://auth\\x?code=c", .malformed),
      ("limit://auth:0x?code=c", .malformed),
      ("not an address", .malformed),
      ("?code=c", .malformed),
      ("", .malformed),
      ("limit://auth?code=%6", .malformed),
      ("limit://auth?code=%zz", .malformed),
      ("limit://auth?code=%ff", .malformed),
      ("limit://auth?code=c d", .malformed),
      ("limit://auth?code=c&code=c", .doubled(name: "code")),
      ("limit://auth?code=c&c%6Fde=d", .doubled(name: "code")),
      ("limit://auth?error=a&error=b", .doubled(name: "error")),
      ("limit://auth", .incomplete(missing: "code")),
      ("limit://auth?code=", .incomplete(missing: "code")),
      ("limit://auth#code=c", .incomplete(missing: "code")),
    ] as [(String, CallbackFlaw)]
  )
  func refused(address: String, flaw: CallbackFlaw) {
    #expect(throws: flaw) { try read(address) }
  }

  @Test("A callback has at most 32 KiB")
  func tooLong() throws {
    let room = CallbackAddress.limit - "limit://auth?code=".utf8.count
    _ = try read("limit://auth?code=" + String(repeating: "c", count: room))
    #expect(throws: CallbackFlaw.tooLong) { try read("limit://auth?code=" + String(repeating: "c", count: room + 1)) }
  }

  @Test("A callback may be a refusal in the backend's words")
  func error() throws {
    let reading = try read("limit://auth?error=access_denied&error_description=not+today")
    #expect(reading == .refused(code: "access_denied", description: "not today"))
  }

  @Test(
    "A callback must match the address of --callback",
    arguments: [
      ("limit://auth", "limit://auth?code=c", true),
      ("limit://auth", "limit://auth/?code=c", true),
      ("limit://auth/", "limit://auth?code=c", true),
      ("limit://auth", "limit://auth/done?code=c", true),
      ("limit://", "limit://anything?code=c", true),
      ("Limit:", "limit:auth?code=c", true),
      ("http://127.0.0.1:8080", "http://localhost:8080/callback?code=c", true),
      ("http://localhost/callback", "http://127.0.0.1:1/callback?code=c", true),
      ("limit://auth", "limit://authority?code=c", false),
      ("limit://auth", "limit://auth.evil?code=c", false),
      ("limit://auth", "limitless://auth?code=c", false),
      ("limit://auth", "limit://auth:1?code=c", false),
      ("limit://auth/done", "limit://auth/doner?code=c", false),
      ("limit://auth", "limit:auth?code=c", false),
      ("limit://auth", "http://127.0.0.1/callback?code=c", false),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8081/callback?code=c", false),
      ("http://127.0.0.1", "https://127.0.0.1/callback?code=c", false),
    ]
  )
  func expected(prefix: String, address: String, isCovered: Bool) throws {
    guard isCovered else {
      #expect(throws: CallbackFlaw.unexpected) { try read(address, expecting: prefix) }
      return
    }
    _ = try read(address, expecting: prefix)
  }

  @Test(
    "An address of --callback is an app's scheme or loopback",
    arguments: [
      "https://app.example/", "http://10.0.0.1", "mailto:x", "limit", "", "://x", "limit://auth?x",
      "limit://auth#x", "1limit://x",
    ]
  )
  func prefix(text: String) {
    #expect(throws: CallbackFlaw.self) { try CallbackPlace(prefix: text) }
  }
}
