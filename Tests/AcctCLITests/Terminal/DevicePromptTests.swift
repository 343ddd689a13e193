import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

/// The output of `acct add --issuer --device` while the user is at another device.
@Suite("The prompt of a device sign-in")
struct DevicePromptTests {
  private let record = RecordedWorld()
  private static let issuer = "https://issuer.example"
  private static let page = "\(issuer)/device"

  /// Signs in at a server whose answer has these members more; the first question is denied.
  private func signIn(_ more: String, _ options: String...) async -> Int32 {
    record.serve { request throws(HTTPFailure) in
      switch request.url.path {
      case "/.well-known/oauth-authorization-server":
        .json(
          """
          {"issuer":"\(Self.issuer)","token_endpoint":"\(Self.issuer)/token",
           "device_authorization_endpoint":"\(Self.issuer)/start"}
          """
        )
      case "/start":
        .json(
          """
          {"device_code":"made-up","user_code":"BCDF-GHJK","verification_uri":"\(Self.page)",
           "expires_in":600\(more)}
          """
        )
      default: .json(#"{"error":"access_denied"}"#, 400)
      }
    }
    record.clear()
    return await record.run(["add", "--issuer", Self.issuer, "--client-id", "client", "--device"] + options)
  }

  @Test("The prompt of a device sign-in shows the server's address with the code alone on a line")
  func complete() async {
    let address = "\(Self.page)?user_code=BCDF-GHJK"
    #expect(await signIn(#","verification_uri_complete":"\#(address)""#) == 4)
    #expect(
      record.err.prefix(6) == [
        "acct: on any device, open this address:", Self.page, "acct: and enter this code (Ctrl-C to cancel):",
        "BCDF-GHJK", "acct: or open this one, which has the code in it:", address,
      ]
    )
    for more in ["", #","verification_uri_complete":"\#(Self.page)""#] {
      #expect(await signIn(more) == 4)
      #expect(!record.err.contains { $0.contains("which has the code in it") })
    }
  }

  @Test("The address with the code is a link on a terminal that supports links, never without colour")
  func link() async {
    let address = "\(Self.page)?user_code=BCDF-GHJK"
    let more = #","verification_uri_complete":"\#(address)""#
    func isLink(_ options: String...) async -> Bool {
      _ = options.isEmpty ? await signIn(more) : await signIn(more, options[0])
      #expect(record.err.contains(address) != record.err.contains("[link] \(address)"))
      return record.err.contains("[link] \(address)")
    }
    record.set("TERM", to: "xterm")
    #expect(!(await isLink()))
    record.showOnTerminal()
    #expect(await isLink())
    #expect(!(await isLink("--no-color")))
    for term in ["dumb", "", "linux"] {
      record.set("TERM", to: term)
      #expect(!(await isLink()))
    }
    record.set("TERM", to: "xterm")
    record.set("NO_COLOR", to: "1")
    #expect(!(await isLink()))
  }

  @Test(
    "An address with the code that is empty or not safe to open is not shown, and the code is",
    arguments: [
      "",
      "http://issuer.example/device?c=1", "javascript:alert(1)", "https://user@issuer.example/",
      #"https://issuer.example/\u001b]8;;https://evil.example\u0007"#,
      "https://issuer.example/ two", "//issuer.example/device",
    ]
  )
  func hostile(_ address: String) async {
    #expect(await signIn(#","verification_uri_complete":"\#(address)""#) == 4)
    #expect(record.err.prefix(2) == ["acct: on any device, open this address:", Self.page])
    #expect(record.err.contains("BCDF-GHJK"))
    #expect(!record.err.joined().contains("evil") && !record.err.contains { $0.contains("which has the code in it") })
  }
}
