import AcctModel
import AcctProtocol
import Testing

@Suite("The command keyring")
struct KeyringRequestTests {
  private static let url = "https://pip.example/simple/"
  private let url = Self.url

  private func request(_ words: [String]) throws(HelperFlaw) -> KeyringRequest {
    try KeyringRequest(HelperQuestion(words))
  }

  @Test(
    "The command keyring prints a password, and the user name before it where that is asked for",
    arguments: [
      (["get", url, "alice"], "a\"b\n"),
      (
        ["--mode=creds", "--output=json", "get", url],
        #"{"username": "oauth2", "password": "a\"b"}"# + "\n"
      ),
      (["get", url, "--mode", "creds"], "oauth2\na\"b\n"),
      (["--mode", "creds", "get", url, "alice"], "alice\na\"b\n"),
      (["get", "--output=json", url, "alice"], #"{"password": "a\"b"}"# + "\n"),
      (["-b", "x.Keyring", "get", url, "alice"], "a\"b\n"),
    ]
  )
  func get(_ words: [String], _ answer: String) throws {
    let request = try request(words)
    let user = words.last == "alice" ? "alice" : nil
    #expect(request.task == .get(HelperTarget(try HTTPURL(url), user: user)))
    #expect(output(of: request.answer(try credential(for: url, token: "a\"b"))) == answer)
  }

  @Test("A service that is a host alone can be at https, and on this machine at http too")
  func hosts() throws {
    #expect(
      try request(["get", "pip.example:8443", "a"]).task
        == .get(HelperTarget(try HTTPURL("https://pip.example:8443/"), user: "a"))
    )
    #expect(
      try request(["get", "127.0.0.1:5078", "a"]).task
        == .get(
          HelperTarget(
            try HTTPURL("https://127.0.0.1:5078/"),
            try HTTPURL("http://127.0.0.1:5078/"),
            user: "a"
          )
        )
    )
    for service in ["a@pip.example", "pip.exаmple", "https://a:b@pip.example/", "", "/", "a b"] {
      guard case .unusable = try request(["get", service, "a"]).task else {
        Issue.record("\(service)")
        continue
      }
    }
  }

  @Test("The name of a static token's own user precedes the one that is asked for")
  func basic() throws {
    let request = try request(["--mode=creds", "get", url])
    let credential = try credential(for: url, .basic(user: "carol"))
    #expect(output(of: request.answer(credential)) == "carol\nt0k\n")
    for form in [CredentialForm.bare(field: "X-Key"), .guest, .cookie, .bound] {
      #expect(!request.accepts(form), "\(form)")
    }
    #expect(request.none == HelperAnswer(isSuccess: false))
  }

  @Test("The command keyring ignores what is to be stored, and deletes nothing")
  func others() throws {
    #expect(try request(["set", url, "alice"]).task == .answered(HelperAnswer()))
    #expect(
      try request(["del", url, "alice"]).task == .answered(HelperAnswer(isSuccess: false))
    )
    #expect(KeyringRequest.exchange(for: ["set", url, "alice"]) == .silent)
  }

  @Test(
    "The command keyring rejects what it does not know, and a user name with a control character",
    arguments: [
      ([], HelperFlaw.operation(nil)), (["diagnose"], .operation("diagnose")),
      (["GET", url, "a"], .operation("GET")), (["get"], .missing("SERVICE")),
      (["get", url], .missing("USERNAME")), (["set", url], .missing("USERNAME")),
      (["--mode=creds", "set", url], .missing("USERNAME")), (["get", url, "a", "b"], .arguments),
      (["get", url, "a", "--mode=all"], .value("--mode")),
      (["get", url, "a", "--output"], .missing("--output")),
      (["get", url, "a", "--later=1"], .operation("--later")), (["get", url, "a\nb"], .notText),
      (["--mode=creds", "get", url, "a\u{7F}"], .notText),
    ]
  )
  func flaw(_ words: [String], _ flaw: HelperFlaw) {
    #expect(throws: flaw) { try request(words) }
  }
}
