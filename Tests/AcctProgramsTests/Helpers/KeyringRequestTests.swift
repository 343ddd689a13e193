import AcctModel
import AcctPrograms
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
    #expect(output(of: try request.answer(credential(for: url, token: "a\"b"))) == answer)
  }

  @Test("A service is a URL: of a host alone it is not known whether it is asked over TLS")
  func hosts() throws {
    #expect(
      try request(["get", "http://127.0.0.1:5078/simple/", "a"]).task
        == .get(HelperTarget(try HTTPURL("http://127.0.0.1:5078/simple/"), user: "a"))
    )
    for service in [
      "pip.example", "pip.example:443", "127.0.0.1:5078", "a@pip.example", "pip.exаmple", "", "/",
      "a b", "ftp://pip.example/", "https:pip.example", "https",
    ] {
      #expect(try request(["get", service, "a"]).task == .unusable(nil), "\(service)")
    }
    for service in ["https://a:b@pip.example/", "https://pip.exаmple/", "http://pip.example/"] {
      guard case .unusable(_?) = try request(["get", service, "a"]).task else {
        Issue.record("\(service)")
        continue
      }
    }
  }

  @Test("An option that is none of keyring's is found behind the operation, and not before it")
  func foreignOptions() {
    func found(_ words: String...) -> String? { KeyringRequest.foreignOption(in: words[...]) }
    #expect(found("get", Self.url, "--account=work@pip.example") == "--account")
    #expect(found("--mode=creds", "get", Self.url, "-h") == "-h")
    #expect(found("get", "-a", "alice") == "-a")
    #expect(found("get", Self.url, "-awork") == "-awork")
    #expect(found("-a", "work", "--mode=creds", "get", Self.url, "alice", "-b", "x") == nil)
    #expect(found("get", Self.url, "--mode", "creds", "--output=json") == nil)
    #expect(found("--account=work") == nil)
  }

  @Test("The name of a static token's own user precedes the one that is asked for")
  func basic() throws {
    let request = try request(["--mode=creds", "get", url])
    let credential = try credential(for: url, .basic(user: "carol"))
    #expect(output(of: try request.answer(credential)) == "carol\nt0k\n")
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
      ([], HelperFlaw.operation(nil)), (["diagnose"], .operation("diagnose")), (["GET", url, "a"], .operation("GET")),
      (["get"], .missing("SERVICE")), (["get", url], .missing("USERNAME")), (["set", url], .missing("USERNAME")),
      (["--mode=creds", "set", url], .missing("USERNAME")), (["get", url, "a", "b"], .arguments),
      (["get", url, "a", "--mode=all"], .value("--mode")), (["get", url, "a", "--output"], .missing("--output")),
      (["get", url, "a", "--later=1"], .operation("--later")), (["get", url, "a\nb"], .notText),
      (["--mode=creds", "get", url, "a\u{7F}"], .notText),
    ]
  )
  func flaw(_ words: [String], _ flaw: HelperFlaw) {
    #expect(throws: flaw) { try request(words) }
  }
}
