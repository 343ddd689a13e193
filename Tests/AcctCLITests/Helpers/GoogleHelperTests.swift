import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `acct helper google`, byte by byte.
@Suite("Google's executable source")
struct GoogleHelperTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }
  private static let prefix = "urn:ietf:params:oauth:token-type:"

  private func ask(_ words: String..., with variables: [String: String] = [:]) async -> Int32 {
    for name in ["TOKEN_TYPE", "OUTPUT_FILE", "INTERACTIVE", "REVOKE"] {
      record.set("GOOGLE_EXTERNAL_ACCOUNT_\(name)", to: variables[name] ?? "")
    }
    record.clear()
    return await record.run(["helper", "google"] + words)
  }

  /// The answer that says that there is none; `nil` for any other output.
  private var failure: (code: String, message: String)? {
    guard let answer = record.json?.objectValue, answer["version"] == 1, answer["success"] == false,
      let code = answer["code"]?.stringValue, let message = answer["message"]?.stringValue
    else { return nil }
    return (code, message)
  }

  @Test(
    "Google's libraries get the ID token and its end, under the type that they ask for",
    arguments: ["id_token", "jwt"]
  )
  func answer(type: String) async {
    #expect(await server.add() == 0, "\(record.err)")
    let status = await ask("--account", "alice@as.example", with: ["TOKEN_TYPE": Self.prefix + type])
    #expect(status == 0)
    let token = record.keyring.items.values.first?[.idToken].map(RowServer.text) ?? "none"
    #expect(
      record.out
        == #"{"version":1,"success":true,"token_type":"\#(Self.prefix + type)","id_token":"\#(token)","#
        + #""expiration_time":1800003600}"# + "\n"
    )
    #expect(record.err.isEmpty)
  }

  @Test("An account that was not named, is not there or has no ID token is a failure in the answer, with status 0")
  func none() async {
    #expect(await server.add(scope: "profile") == 0, "\(record.err)")
    for (words, code) in [
      ([], "noAddress"), (["--account", "bob"], "unknownAccount"),
      (["--account", "alice@as.example"], "signInRequired"),
    ] as [([String], String)] {
      let status = words.isEmpty ? await ask() : await ask(words[0], words[1])
      #expect(status == 0)
      #expect(failure?.code == code, "\(record.out)")
      #expect(record.err.isEmpty, "\(record.err)")
    }
    record.set("ACCT_ACCOUNT", to: "alice@as.example")
    #expect(await ask() == 0)
    #expect(failure?.message.contains("did not request the scope openid") == true, "\(record.out)")
  }

  @Test("A locked keyring, another type of token and a revocation are failures in the answer")
  func unusable() async {
    #expect(await server.add() == 0, "\(record.err)")
    for variables in [["TOKEN_TYPE": "urn:ietf:params:oauth:token-type:saml2"], ["REVOKE": "1"]] {
      #expect(await ask("--account", "alice@as.example", with: variables) == 0)
      #expect(failure != nil, "\(record.out)")
      #expect(record.err.isEmpty)
    }
    record.keyring.fail(with: .locked())
    #expect(await ask("--account", "alice@as.example") == 0)
    #expect(failure?.message.hasPrefix("the keyring is locked") == true, "\(record.out)")
    #expect(record.err.isEmpty)
  }

  @Test("An output file gets successes, and alone where standard output is the user's")
  func file() async {
    #expect(await ask("--account", "alice", with: ["OUTPUT_FILE": "out"]) == 0)
    #expect(record.secretFiles["out"] == nil, "a failure is not kept")
    #expect(await server.add() == 0, "\(record.err)")
    #expect(await ask("--account", "alice@as.example", with: ["OUTPUT_FILE": "out"]) == 0)
    #expect(record.secretFiles["out"] == record.out)
    #expect(await ask("--account", "alice@as.example", with: ["OUTPUT_FILE": "new", "INTERACTIVE": "1"]) == 0)
    #expect(record.out.isEmpty && record.err.isEmpty)
    #expect(record.secretFiles["new"]?.contains(#""success":true"#) == true)
  }

  @Test("A notice is not written beside the answer")
  func notice() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims = nil }
    record.now += 3400
    #expect(await ask("--account", "alice@as.example") == 0)
    #expect(record.json?.objectValue?["success"] == true, "\(record.out)")
    #expect(record.err.isEmpty, "\(record.err)")
  }
}
