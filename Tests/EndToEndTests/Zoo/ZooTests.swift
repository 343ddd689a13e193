import AcctTestSupport
import StrictJSON
import Testing

/// Servers that people have, played by the strict server from what is publicly known of them.
///
/// There are two suites, since the plays of one wait for each other.
@Suite("Servers of the zoo: forges, identity providers and their frameworks")
struct ZooTests {
  @Test(
    "acct makes of a server's answers what its file says",
    arguments: ZooFile.names.filter { !ZooFile.isService($0) }
  )
  func play(_ name: String) async throws { try await ZooPlay.run(name) }

  @Test("There are 60 servers or more, each with one file")
  func count() throws {
    #expect(ZooFile.names.count >= 60)
    let servers = try ZooFile.names.map { try ZooFile($0).server }
    #expect(Set(servers).count == servers.count)
  }

  @Test("A file with a member that is not known, or that expects nothing, is rejected")
  func closed() throws {
    let step: JSON = ["acct": "list", "says": ["x"]]
    let file: JSONObject = ["server": "x", "known": ["x"], "play": [step]]
    #expect(throws: Never.self) { try ZooFile(.object(file)) }
    func changed(_ name: String, _ value: JSON) -> JSON {
      var changed = file
      changed[name] = value
      return .object(changed)
    }
    for wrong in [
      changed("plays", []), changed("known", []), changed("server", ""), changed("play", [["acct": "list"]]),
      changed("play", [["acct": "list", "exits": 1]]), changed("play", [["says": ["x"]]]),
      changed("provider", ["name": "x", "described": [:], "hosts": [:]]),
    ] {
      #expect(throws: HarnessFailure.self) { try ZooFile(wrong) }
    }
  }

  @Test(
    "The server of a file does not start with a member or an endpoint that it does not know",
    arguments: [
      #""answers": {"token": [{"stats": 200}]}"#, #""answers": {"tokens": []}"#, #""settings": {"dpops": "off"}"#,
      #""tokens": {"token": ""}"#, #""documents": {"/": {"body": ""}}"#, #""at": {"tokens": "/"}"#, #""also": 1"#,
      #""answers": {"token": [{"json": {}, "text": ""}]}"#, #""answers": {"token": [{"grant": "password"}]}"#,
    ]
  )
  func closedServer(_ member: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("x.json", containing: #"{"server": "x", "known": [], "play": [], \#(member)}"#)
    await #expect(throws: (any Error).self) { try await StrictServer(playing: file) }
  }

  @Test("The manual lists each server by its name and its file, and no other")
  func manual() async throws {
    let page = try await ChildProcess("cat", [Product.source("man/acct-providers.1")]).run().text
    let lines = page.split(separator: "\n")
    let begin = try #require(lines.firstIndex(of: ".Ss Described servers"))
    let listed = lines[begin...].prefix { !$0.hasPrefix(".Sh") }.filter { $0.hasPrefix(".It ") }
    let expected = try ZooFile.names.map { ".It \(try ZooFile($0).server) Ta \($0)" }.sorted()
    #expect(listed.map(String.init) == expected)
  }
}
