import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol
import Testing

@Suite("Cargo's credential provider")
struct CargoCredentialTests {
  private static let registry = #""registry":{"index-url":"sparse+https://r.example/index/"}"#

  private func provider(_ line: String) throws(HelperFlaw) -> CargoCredential {
    try CargoCredential(HelperQuestion(["--cargo-plugin"], Secret(line)))
  }

  @Test(
    "Cargo gets a token for a registry, whatever it does there",
    arguments: [
      #"{"v":1,\#(registry),"kind":"get","operation":"read"}"#,
      #"{"v":1,"registry":{"index-url":"sparse+https://r.example/index/","name":"mine","#
        + #""headers":["WWW-Authenticate: Cargo"]},"kind":"get","operation":"publish","#
        + #""name":"a","vers":"1.0.0","cksum":"00","args":[]}"#,
      #"{"extra":true,"v":1,"registry":{"index-url":"sparse+HTTPS://R.example:443/index/"},"kind":"get","#
        + #""operation":"later"}"#,
    ]
  )
  func get(_ line: String) throws {
    let target = HelperTarget(try HTTPURL("https://r.example/index/"))
    #expect(try provider(line).task == .get(target))
  }

  @Test(
    "Cargo's login, its logout and what a later cargo asks are not supported",
    arguments: ["login", "logout", "later"]
  )
  func unsupported(_ kind: String) throws {
    let line = #"{"v":1,"kind":"\#(kind)",\#(Self.registry),"token":"t"}"#
    let answer = HelperAnswer(Secret(#"{"Err":{"kind":"operation-not-supported"}}"# + "\n"))
    #expect(try provider(line).task == .answered(answer))
  }

  @Test("An index says where cargo sends the token: where its server says, or where a repository says")
  func reach() throws {
    func asked(_ index: String) throws -> CargoCredential {
      try provider(
        #"{"v":1,"registry":{"index-url":"\#(index)"},"kind":"get","operation":"read"}"#
      )
    }
    #expect(try asked("sparse+https://r.example/index/").reach == .named)
    for prefix in ["", "registry+", "git+"] {
      let index = try asked("\(prefix)https://r.example/index/")
      #expect(index.reach == .namedByRepository, "\(prefix)")
      #expect(index.task == .get(HelperTarget(try HTTPURL("https://r.example/index/"))))
    }
  }

  @Test("The index of crates.io is at GitHub, and no token of GitHub's is for it")
  func cratesIO() throws {
    // As cargo writes it.
    let line =
      #"{"v":1,"registry":{"index-url":"https://github.com/rust-lang/crates.io-index","#
      + #""name":"crates-io"},"kind":"get","operation":"publish","name":"a","vers":"1.0.0","#
      + #""cksum":"00","args":[]}"#
    let answer = HelperAnswer(Secret(#"{"Err":{"kind":"url-not-supported"}}"# + "\n"))
    #expect(try provider(line).task == .answered(answer))
  }

  @Test("A registry that is not reached by http is one that cargo's other providers may know")
  func otherIndex() throws {
    let answer = HelperAnswer(Secret(#"{"Err":{"kind":"url-not-supported"}}"# + "\n"))
    for index in ["ssh://git@r.example/i", "registry+file:///i", "sparse+", "r.example"] {
      let line = #"{"v":1,"registry":{"index-url":"\#(index)"},"kind":"get","operation":"read"}"#
      #expect(try provider(line).task == .answered(answer), "\(index)")
    }
    let line = #"{"v":1,"registry":{"index-url":"sparse+https://a@r.example/"},"kind":"get","operation":"read"}"#
    #expect(try provider(line).task == .unusable(.refusedURL(.userInformation)))
  }

  @Test("Cargo's token is the value of the field, and each answer is a line")
  func answers() throws {
    let provider = try provider(#"{"v":1,\#(Self.registry),"kind":"get","operation":"read"}"#)
    #expect(
      output(of: try provider.answer(credential(for: "https://r.example/index/")))
        == #"{"Ok":{"kind":"get","token":"Bearer t0k","cache":"expires","expiration":1800003600,"#
        + #""operation_independent":true}}"# + "\n"
    )
    #expect(
      output(of: try provider.answer(credential(for: "https://r.example/index/", until: nil)))
        == #"{"Ok":{"kind":"get","token":"Bearer t0k","cache":"session","operation_independent":true}}"#
        + "\n"
    )
    #expect(provider.none == HelperAnswer(Secret(#"{"Err":{"kind":"not-found"}}"# + "\n")))
    #expect(
      CargoCredential.exchange(for: ["--cargo-plugin"]) == .lines(greeting: "{\"v\":[1]}\n")
    )
  }

  @Test("Cargo gets no credential that is more than one Authorization field")
  func forms() throws {
    let provider = try provider(#"{"v":1,\#(Self.registry),"kind":"get","operation":"read"}"#)
    let some: [CredentialForm] = [
      .scheme("Bearer"), .scheme("Token"), .basic(user: "a"), .bare(field: "authorization"),
    ]
    for form in some { #expect(provider.accepts(form), "\(form)") }
    let others: [CredentialForm] = [.bare(field: "X-Key"), .guest, .cookie, .bound]
    for form in others { #expect(!provider.accepts(form), "\(form)") }
  }

  @Test(
    "What is not cargo's request is rejected in cargo's words",
    arguments: [
      ("", HelperFlaw.notJSON), ("[]", .notJSON), ("{}", .missing("v")),
      (#"{"v":2,\#(registry),"kind":"get","operation":"read"}"#, .value("v")), (#"{"v":"1"}"#, .value("v")),
      (#"{"v":1}"#, .missing("kind")), (#"{"v":1,"kind":"get","operation":"read"}"#, .missing("registry")),
      (#"{"v":1,"kind":"get","registry":[]}"#, .value("registry")),
      (#"{"v":1,"kind":"get","registry":{"index-url":1}}"#, .value("index-url")),
      (#"{"v":1,"kind":"get",\#(registry)}"#, .missing("operation")),
    ]
  )
  func flaw(_ line: String, _ flaw: HelperFlaw) {
    #expect(throws: flaw) { try provider(line) }
    let answer = CargoCredential.answer(to: flaw)
    #expect(answer?.isSuccess == false)
    #expect(
      answer.map(output(of:)) == #"{"Err":{"kind":"other","message":"the request is not one of version 1"}}"# + "\n"
    )
  }

  @Test("A word other than cargo's own on the command line is rejected before anything is said")
  func words() {
    for words in [["get"], ["--cargo-plugin", "x"]] {
      #expect(CargoCredential.exchange(for: words) == .silent)
      #expect(throws: HelperFlaw.self) { try CargoCredential(HelperQuestion(words)) }
    }
    #expect(CargoCredential.answer(to: .operation("get")) == nil)
  }
}
