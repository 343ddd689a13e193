import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// What each program writes and reads, byte by byte.
@Suite("A program that asks for a credential")
struct ProgramExchangeTests {
  let record = RecordedWorld()

  /// Whether the program got none, and what it was told beside.
  private func hasNone(_ program: AskingProgram, _ status: Int32) -> Bool {
    record.out == program.none.out && status == program.none.status
  }

  @Test(
    "A program gets the bearer token of the account that has the origin, and nothing is said",
    arguments: AskingProgram.all
  )
  func valid(_ program: AskingProgram) async {
    await record.addGiven()
    #expect(await record.ask(program) == 0)
    #expect(record.out == program.bearer("opaque-bob", 0))
    #expect(record.err.isEmpty, "\(record.err)")
  }

  @Test(
    "A program gets none for a server of no account, also with another account at hand",
    arguments: AskingProgram.all
  )
  func foreign(_ program: AskingProgram) async {
    for hasAccount in [false, true] {
      if hasAccount { await record.addGiven() }
      let status = await record.ask(program, for: "https://issuer.example.evil.test/")
      #expect(hasNone(program, status), "\(status) \(record.out)")
      #expect(record.err.isEmpty == program.asksForAnyServer, "\(record.err)")
    }
    let status = await record.ask(program, for: "https://issuer.example.evil.test/", as: "bob.example.com")
    #expect(hasNone(program, status), "\(status) \(record.out)")
    #expect(record.err.first?.contains("is not an origin of bob.example.com") == true)
  }

  @Test("A program gets none for a host that only looks like the account's", arguments: AskingProgram.all)
  func lookalikes(_ program: AskingProgram) async {
    await record.addGiven()
    for url in [
      "https://issuer.example@evil.test/", "https://user:pass@issuer.example/", "https://issuer.example./",
      "https://issuer.example:8443/", "http://issuer.example/", "https://issuer%2Eexample/", "https://issuer.exаmple/",
      "https://evil.test/?issuer.example", "https://evil.test#@issuer.example/", "https://xn--issuer.example/",
    ] {
      let status = await record.ask(program, for: url)
      #expect(!record.out.contains("opaque-bob"), "\(url)")
      #expect(
        hasNone(program, status) || record.out.contains("url-not-supported"),
        "\(url): \(status) \(record.out)"
      )
    }
  }

  @Test("A key-bound token goes to a program that can send a proof, and to no other", arguments: AskingProgram.all)
  func bound(_ program: AskingProgram) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let status = await record.ask(program, for: "https://pds.example/path?go-get=1")
    guard program.takesProof else {
      #expect(hasNone(program, status), "\(status) \(record.out)")
      #expect(
        record.err == [
          "acct: the program can't send the credential of alice.example.com: each request needs a "
            + "proof by its DPoP key"
        ]
      )
      return
    }
    #expect(status == 0)
    #expect(record.out.contains("DPoP eyJ"))
    #expect(record.err.isEmpty, "\(record.err)")
  }

  @Test("The proof that Bazel gets is for a GET of its URL, and is not to be kept")
  func bazelsProof() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.ask(.bazel, for: "https://pds.example/a?b") == 0)
    let answer = record.json?.objectValue
    #expect(answer?["expires"] == "2027-01-15T08:00:00Z")
    let headers = answer?["headers"]?.objectValue
    #expect(headers?.names == ["Authorization", "DPoP"])
    let proof = try #require(headers?["DPoP"]?.arrayValue?.first?.stringValue)
    let claims = try JSON(parsing: base64URLDecoded(proof.split(separator: ".")[1])).objectValue
    #expect(claims?["htm"] == "GET")
    #expect(claims?["htu"] == "https://pds.example/a")
  }

  @Test("The lines that the go command gets with a proof are for the URL that it has fetched")
  func gosProof() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.ask(.go, for: "https://pds.example/m?go-get=1") == 0)
    let lines = record.out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 6)
    #expect(lines.first == "https://pds.example/m?go-get=1")
    #expect(lines[1].isEmpty)
    #expect(lines[2].hasPrefix("Authorization: DPoP eyJ"))
    #expect(lines[3].hasPrefix("DPoP: eyJ"))
    #expect(lines[4...] == ["", ""])
  }

  @Test("A locked keyring is none, and the reason stands on standard error", arguments: AskingProgram.all)
  func locked(_ program: AskingProgram) async {
    await record.addGiven()
    record.keyring.fail(with: .locked())
    let status = await record.ask(program)
    #expect(hasNone(program, status), "\(status) \(record.out)")
    #expect(record.err.first == "acct: the keyring is locked", "\(record.err)")
    record.keyring.fail(with: nil)
    #expect(await record.ask(program) == 0)
    #expect(record.out == program.bearer("opaque-bob", 0))
  }

  @Test(
    "Two accounts that have the origin, none of them chosen, are none, and both are named",
    arguments: AskingProgram.all
  )
  func several(_ program: AskingProgram) async {
    await record.addToken("tok-a", at: "https://issuer.example", "--name", "a")
    await record.addToken("tok-b", at: "https://issuer.example", "--name", "b")
    await record.addToken("tok-c", at: "https://other.example", "--name", "c")
    let status = await record.ask(program)
    #expect(hasNone(program, status), "\(status) \(record.out)")
    #expect(
      record.err.first == "acct: https://issuer.example is an origin of more than one account: a, b"
    )
    #expect(await record.ask(program, as: "b") == 0)
    #expect(record.out.contains("tok-b"))
  }

  @Test("A token that is due is renewed before a program gets it", arguments: AskingProgram.all)
  func renewed(_ program: AskingProgram) async {
    await record.addGiven(changing: ["refresh_token": "r1", "clientId": "client"])
    record.now += 3600 - 299
    let issuer = FakeIssuer(.success(RenewalTests.renewed))
    record.serve { request throws(HTTPFailure) in try issuer.respond(request) }
    #expect(await record.ask(program) == 0)
    #expect(record.out == program.bearer("new", 3301), "\(record.out)")
    #expect(record.err.isEmpty, "\(record.err)")
    // A server that does not answer leaves a token that has expired, which is none.
    record.now += 3600
    let status = await record.ask(program)
    #expect(hasNone(program, status), "\(status) \(record.out)")
    #expect(!record.err.isEmpty)
  }

  @Test("A word too many is bad usage, and nothing is printed", arguments: AskingProgram.all)
  func words(_ program: AskingProgram) async {
    await record.addGiven()
    #expect(await record.ask(program, "more", "words") == 64)
    #expect(!record.out.contains("opaque-bob"))
    #expect(record.err.last == "acct: hint: see `man acct-helper`", "\(record.err)")
  }
}
