import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The files of a home that a later version of acct has written into: each is told as that, and kept.
@Suite("Files of a later version of acct")
struct LaterFilesTests {
  let record = RecordedWorld()

  private func told(_ file: StoredFile, in message: [String]) -> Bool {
    message.contains("acct: /data/\(file) was written by a later version of acct")
      && message.contains("acct: hint: update acct on this machine")
  }

  /// Makes the file one of the next version; returns its text.
  private func raise(_ file: StoredFile) throws -> String {
    let later = try #require(record.file(file)).replacing(#""version":1"#, with: #""version":2"#)
    record.corrupt(file, with: later)
    record.clear()
    return later
  }

  private func setUp(_ words: String...) async -> Int32 {
    record.clear()
    return await record.run(["helper", "setup"] + words)
  }

  private func provideDocker() {
    for program in ["docker", "docker-credential-acct", "cargo", "cargo-credential-acct"] {
      record.programs.install(program, answering: [:])
    }
    record.foreignFiles["/home/.docker/config.json"] = "{\"credsStore\": \"desktop\"}\n"
  }

  @Test("The records of setups are neither used nor replaced")
  func setups() async throws {
    provideDocker()
    #expect(await setUp("docker") == 0)
    let later = try raise(.setups)
    for words in [["cargo"], ["docker", "--undo"]] {
      record.clear()
      #expect(await record.run(["helper", "setup"] + words) == 65)
      #expect(told(.setups, in: record.err), "\(record.err)")
      #expect(record.file(.setups) == later)
    }
  }

  @Test("Records of this version's form that only a later one can undo stay where others come and go")
  func foreignSetups() async throws {
    provideDocker()
    let foreign = #"{"program":"of-later","changes":[],"files":[]}"#
    let whole = #"{"version":1,"setups":[\#(foreign)],"env":[{"later":true}],"others":[1]}"#
    record.corrupt(.setups, with: whole)
    #expect(await setUp("docker") == 0, "\(record.err)")
    #expect(record.file(.setups)?.contains("credsStore") == true)
    #expect(await setUp("docker", "--undo") == 0, "\(record.err)")
    #expect(record.file(.setups) == whole)
  }

  @Test("The removal of an account is told as not logged, and the accounts that were removed before stay")
  func removals() async throws {
    for name in ["one", "two"] { await record.addToken("tok-\(name)", at: "https://\(name).example", "--name", name) }
    #expect(await record.acct("remove", "one", "--yes") == 0, "\(record.err)")
    let later = try raise(.removals)
    #expect(await record.acct("remove", "two", "--yes") == 0, "\(record.err)")
    #expect(record.err.joined().contains("/data/removals was written by a later version of acct"), "\(record.err)")
    #expect(record.file(.removals) == later)
    record.clear()
    #expect(await record.acct("log") == 0)
    #expect(
      record.err.contains("acct: removed accounts are not shown: /data/removals was written by a later version of acct")
    )
    #expect(record.err.contains("acct: hint: update acct on this machine"))
  }

  @Test("What serves a notice or a count alone is left as it is, and hinders nothing")
  func incidental() async throws {
    await record.addToken("tok-one", at: "https://one.example", "--name", "one")
    let files: [(StoredFile, String)] = [
      (.refusals, #"{"version":2,"refused":[]}"#), (.directories, #"{"version":2,"chosen":[]}"#),
    ]
    for (file, text) in files { record.corrupt(file, with: text) }
    record.place([.trusted(path: "/work/.acct", names: ["one"])])
    record.connectTerminal()
    #expect(await record.acct("header", "https://elsewhere.example/") == 8)
    #expect(await record.acct("header", "https://one.example/") == 0, "\(record.err)")
    #expect(await record.acct("remove", "one", "--yes") == 0, "\(record.err)")
    for (file, text) in files { #expect(record.file(file) == text) }
  }

  @Test(
    "An account with a word that this version does not know is a later one's, and stays",
    arguments: [
      (#""kind":"oauth""#, #""kind":"of-later""#), (#""tokenType":"Bearer""#, #""tokenType":"of-later""#),
      (#""standing":"signedIn""#, #""standing":"of-later""#), (#""kind""#, #""keyStorage":"of-later","kind""#),
      (#""kind""#, #""client":{"of-later":true},"kind""#), (#""kind""#, #""client":{"grant":"of-later"},"kind""#),
    ]
  )
  func account(known: String, later: String) async throws {
    #expect(await record.addRenewable())
    let id = try record.onlyAccount()
    let whole = try #require(record.file(.account(id)))
    try #require(whole.contains(known))
    let changed = whole.replacing(known, with: later, maxReplacements: 1)
    record.corrupt(.account(id), with: changed)
    record.clear()
    #expect(await record.acct("token", "-a", "bob.example.com") == 65)
    #expect(
      record.err == [
        "acct: the file of bob.example.com was written by a later version of acct: /data/accounts/\(id).json",
        "acct: hint: update acct on this machine",
      ]
    )
    #expect(record.file(.account(id)) == changed)
  }

  @Test("An event that only a later version knows is shown, and stays when this version adds one")
  func event() async throws {
    #expect(await record.addRenewable())
    let id = try record.onlyAccount()
    let whole = try #require(record.file(.account(id)))
    record.corrupt(.account(id), with: whole.replacing(#""history":""#, with: #""history":"1 z laptop;"#))
    #expect(await record.acct("allow", "bob.example.com", "https://more.example") == 0, "\(record.err)")
    #expect(record.file(.account(id))?.contains(#""history":"1 z laptop;"#) == true)
    record.clear()
    #expect(await record.acct("log") == 0)
    #expect(record.out.contains("known to a later acct"), "\(record.out)")
    #expect(!record.err.joined().contains("damaged"))
    record.clear()
    #expect(await record.acct("log", "--json") == 0)
    #expect(record.out.contains(#""event":"other""#))
  }
}
