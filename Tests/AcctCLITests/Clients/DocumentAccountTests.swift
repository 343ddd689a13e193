import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The account of a document, for one process")
struct DocumentAccountTests {
  private let record = RecordedWorld()

  /// Nothing of the machine may be read, and nothing written.
  private func expectNothingKept(_ at: SourceLocation = #_sourceLocation) {
    #expect(record.filesText.isEmpty, sourceLocation: at)
    #expect(record.keyring.count == 0 && record.keyring.reads == 0, sourceLocation: at)
  }

  private func describe(_ members: JSONObject) {
    var all: JSONObject = [
      "issuer": .string(RecordedServer.issuer), "grant": "token-exchange", "subjectTokenFile": "/job/token",
    ]
    for (name, value) in members { all[name] = value == .null ? nil : value }
    record.provide("/job/acct.json", String(decoding: JSON.object(all).serialized(), as: UTF8.self))
  }

  @Test("An import document's token is used, from a file, standard input or the environment")
  func handoff() async {
    record.provide("job.json", Handoffs.dpop())
    record.provide("-", Handoffs.bearer(changing: ["origins": ["https://api.example"]]))
    #expect(await record.acct("header", "https://pds.example/x", "--credentials", "job.json") == 0, "\(record.err)")
    #expect(record.out.hasPrefix("Authorization: DPoP "))
    record.clear()
    #expect(await record.acct("header", "https://api.example/x", "--credentials", "-") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer opaque-bob\n")
    record.clear()
    record.set("ACCT_CREDENTIALS", to: "job.json")
    record.set("ACCT_ACCOUNT", to: "another")
    record.set("ACCT_KEYRING", to: "etcd")
    record.place([.trusted(path: "/x/.acct", names: ["another"])])
    #expect(await record.acct("token", "--offline") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://elsewhere.example/x") == 8)
    expectNothingKept()
  }

  @Test("A rejected token, or an origin that is missing, is mended in the document, and not by a sign-in")
  func rejected() async {
    record.provide("job.json", Handoffs.bearer(changing: ["origins": ["https://api.example"]]))
    record.serve { _ throws(HTTPFailure) in .json("{}", 401) }
    let document = ["--credentials", "job.json"]
    #expect(await record.run(["request", "https://api.example/x"] + document) == 4)
    #expect(record.err.last == "acct: hint: the document needs another token", "\(record.err)")
    for address in ["https://api.example", "https://elsewhere.example"] {
      record.clear()
      record.provide("-", "protocol=https\nhost=\(address.dropFirst(8))\n\n")
      _ = await record.run(["helper", "git", "get", "--verbose"] + document)
      #expect(!record.err.joined().contains("acct login"), "\(record.err)")
      #expect(!record.err.joined().contains("acct allow"), "\(record.err)")
    }
    expectNothingKept()
  }

  @Test("A document's refresh token is never sent, and its end says so")
  func refreshToken() async {
    for document in [
      Handoffs.dpop(), Handoffs.bearer(changing: ["refresh_token": "rt-of-bob", "origins": ["https://api.example"]]),
    ] {
      record.provide("job.json", document)
      record.now = 1_800_000_000
      for line in [["header", "https://pds.example/x", "--min-valid", "3590"], ["token", "--min-valid", "3590"]] {
        _ = await record.run(line + ["--credentials", "job.json"])
      }
      // The bearer token's hour counts from when it was read, so its end is stated.
      record.provide("past.json", document.replacing("3600", with: "-5"))
      record.now += 4000
      record.clear()
      #expect(await record.acct("token", "--credentials", "past.json") == 4, "\(record.err)")
      #expect(record.err.joined().contains("a document's refresh token is not used up"), "\(record.err)")
      #expect(record.err.joined().contains("acct keyring create"), "\(record.err)")
    }
    #expect(record.requests.isEmpty)
    expectNothingKept()
  }

  @Test("A description signs in without a person, and its account goes to its origins alone")
  func description() async {
    record.secretFiles["/job/token"] = PlatformTokens.jwt(1)
    let server = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    describe([
      "clientID": "robot", "audience": ["one", "two"], "scope": "read", "subjectTokenFile": "token",
      "origins": ["https://api.example"], "requestedType": "access",
    ])
    let line = ["--credentials", "/job/acct.json"]
    #expect(await record.run(["header", "https://api.example/x"] + line) == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-a-long-enough\n")
    #expect(server.bodies("/token").count == 1)
    #expect(server.bodies("/token").first?.contains("&audience=one&audience=two") == true)
    #expect(await record.run(["header", "https://elsewhere.example/x"] + line) == 8, "\(record.err)")
    record.secretFiles["/job/token"] = nil
    let sent = record.requests.count
    record.clear()
    #expect(await record.run(["token"] + line) == 65)
    #expect(record.err.first == "acct: /job/token: no such file", "\(record.err)")
    #expect(record.requests.count == sent)
    expectNothingKept()
  }

  @Test("Assertions and programs describe a sign-in, too")
  func otherGrants() async {
    record.secretFiles["/job/token"] = PlatformTokens.jwt(1)
    record.programs.install("print-token", answering: [[]: PlatformTokens.jwt(2)])
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    for (members, part) in [
      (["grant": "jwt-bearer", "subjectTokenFile": .null, "assertionFile": "/job/token"], "&assertion="),
      (
        [
          "grant": "client-credentials", "subjectTokenFile": .null, "clientID": "x",
          "clientAssertionFile": "/job/token",
        ],
        "&client_assertion="
      ), (["subjectTokenFile": .null, "subjectTokenCommand": "print-token"], "&subject_token="),
    ] as [(JSONObject, String)] {
      describe(members)
      record.clear()
      #expect(await record.acct("token", "--credentials", "/job/acct.json") == 0, "\(part): \(record.err)")
      #expect(server.bodies("/token").last?.contains(part) == true)
    }
    expectNothingKept()
  }

  @Test("A description that is wrong is named by its member, before anything is sent")
  func bad() async {
    for (members, words) in [
      (["issuer": .null], "there is no issuer"),
      (["colour": "red"], "colour is no member of a description of a sign-in"),
      (["grant": "password"], "grant is malformed"), (["subjectTokenFile": .null], "there is no subjectTokenFile"),
      (["assertionFile": "/a"], "assertionFile does not go with this grant"),
      (["subjectTokenCommand": "a b"], "subjectTokenCommand is present twice, in two spellings"),
      (["origins": ["nowhere"]], "origins is malformed"), (["scope": 1], "scope is not a string"),
      (["grant": "client-credentials", "subjectTokenFile": .null], "there is no clientAssertionFile"),
      (["grant": "jwt-bearer"], "subjectTokenFile does not go with this grant"),
    ] as [(JSONObject, String)] {
      describe(members)
      record.clear()
      #expect(await record.acct("token", "--credentials", "/job/acct.json") == 65, "\(words): \(record.err)")
      #expect(record.err.first == "acct: \(words)", "\(record.err)")
    }
    #expect(record.requests.isEmpty)
    expectNothingKept()
  }

  @Test("With ACCT_KEYRING=memory every command keeps nothing")
  func memory() async {
    record.secretFiles["/job/token"] = PlatformTokens.jwt(1)
    _ = RecordedServer(record, tokens: PlatformTokens.answer("a"))
    record.set("ACCT_KEYRING", to: "memory")
    #expect(
      await record.run([
        "add", "--issuer", RecordedServer.issuer, "--grant", "token-exchange", "--subject-token-file", "/job/token",
      ]) == 0,
      "\(record.err)"
    )
    record.provide("a.json", Handoffs.dpop())
    #expect(await record.acct("add", "--import", "a.json") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.out.contains(#""accounts":[]"#), "\(record.out)")
    #expect(await record.acct("token") == 5)
    expectNothingKept()
    #expect(await record.acct("keyring", "move", "memory") == 64)
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
  }
}
