import Secrets
import AcctPorts
import AcctTestSupport
import Testing

@Suite("A token that git reports as rejected")
struct RejectedTokenHelperTests {
  let record = RecordedWorld()

  private static let own = ["protocol=https", "host=as.example"]

  private func erase(_ token: String) async -> Int32 {
    await record.git(Self.own[0], Self.own[1], "password=\(token)", operation: "erase")
  }

  private var password: String? {
    record.out.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
  }

  @Test("A rejected token that git hands back is renewed, and only that one")
  func rejected() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(await record.addDevice() == 0)
    record.now += 60
    let host = ["protocol=https", "host=as.example", "username=oauth2"]
    let asked = server.bodies("/token").count
    for other in ["password=foreign", "password=", "x=y", "credential=rt-a-long-enough"] {
      #expect(await record.git(host[0], host[1], host[2], other, operation: "erase") == 0)
      #expect(record.out == "" && record.err == [])
    }
    let elsewhere = ["host=other.example", "password=at-a-long-enough"]
    #expect(await record.git(host[0], elsewhere[0], elsewhere[1], operation: "erase") == 0)
    #expect(server.bodies("/token").count == asked)
    let given = ["authtype=Bearer", "credential=at-a-long-enough"]
    #expect(await record.git(host[0], host[1], given[0], given[1], operation: "erase") == 0)
    #expect(record.out == "" && record.err == [])
    #expect(server.bodies("/token").count == asked + 1)
    #expect(await record.git(host[0], host[1]) == 0)
    #expect(record.out.contains("password=at-b-long-enough\n"))
    // The old one has been replaced: git may report it late.
    #expect(await record.git(host[0], host[1], given[0], given[1], operation: "erase") == 0)
    #expect(server.bodies("/token").count == asked + 1)
  }

  @Test("A static token that was rejected once is given again, and the message names the command that stores a new one")
  func rejectedStatic() async {
    await record.addToken("tok", at: "https://git.example", "--name", "work")
    let own = ["protocol=https", "host=git.example"]
    func tell(_ operation: String) async -> Int32 {
      await record.git(own[0], own[1], "password=tok", operation: operation)
    }
    #expect(await tell("erase") == 0)
    #expect(record.out == "")
    #expect(record.err.joined().contains("the server rejected the token of work"))
    #expect(record.err.joined().contains("`acct login work`"))
    #expect(await record.git(own[0], own[1]) == 0)
    #expect(record.out.contains("password=tok\n"))
    // A success between: the next rejection is the first again.
    #expect(await tell("store") == 0)
    #expect(record.out == "" && record.err == [])
    record.now += 60
    #expect(await tell("erase") == 0)
    #expect(await record.git(own[0], own[1]) == 0)
    #expect(record.out.contains("password=tok\n"))
    record.now += 60
    #expect(await tell("erase") == 0)
    #expect(await record.git(own[0], own[1]) == 0)
    #expect(record.out == "")
    #expect(record.err.first == "acct: https://git.example has rejected the token of work", "\(record.err)")
  }

  @Test("A server that rejects each token gets one renewal a minute, and no more")
  func pause() async {
    let server = RecordedServer(
      record,
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b"),
      RecordedServer.tokens("c")
    )
    #expect(await record.addDevice() == 0)
    let asked = server.bodies("/token").count
    // As `git fetch` in many repositories that the user has no right to.
    for (wait, renewals) in [(59, 0), (1, 1), (0, 1), (59, 1), (1, 2)] {
      record.now += Int64(wait)
      #expect(await record.git(Self.own[0], Self.own[1]) == 0)
      let token = password ?? ""
      #expect(await erase(token) == 0)
      #expect(record.out == "" && record.err == [])
      #expect(server.bodies("/token").count == asked + renewals)
    }
  }

  @Test("A clock that was ahead at the last renewal does not put the next one off")
  func clock() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(await record.addDevice() == 0)
    let asked = server.bodies("/token").count
    record.now -= 600
    #expect(await erase("at-a-long-enough") == 0)
    #expect(server.bodies("/token").count == asked + 1)
  }

  @Test("An account that can't be read hides none whose token was rejected")
  func unreadable() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    await record.addToken("tok", at: "https://as.example", "--name", "a-first")
    record.keyring.put(.staticToken, Secret("two words"))
    #expect(await record.addDevice() == 0)
    record.now += 60
    let asked = server.bodies("/token").count
    #expect(await erase("foreign") == 0)
    #expect(record.out == "" && record.err.first?.contains("a-first") == true)
    #expect(server.bodies("/token").count == asked)
    #expect(await erase("at-a-long-enough") == 0)
    #expect(record.out == "" && record.err == [])
    #expect(server.bodies("/token").count == asked + 1)
  }

  @Test("A token for another audience is renewed by itself, and the account's own token stays")
  func audience() async {
    let server = StickyServer(record)
    #expect(await record.addDevice() == 0)
    let question = "protocol=https\nhost=as.example\n"
    func ask(_ operation: String, _ rest: String = "", _ options: String...) async -> Int32 {
      record.provide("-", question + rest + "\n")
      record.clear()
      return await record.run(["helper", "git", operation] + options)
    }
    #expect(await ask("get") == 0)
    let own = password
    #expect(await ask("get", "", "--audience", "https://a.example") == 0)
    let second = password ?? ""
    record.now += 60
    let asked = server.forms.count
    let given = "password=\(second)\n"
    #expect(await ask("erase", given) == 0)
    #expect(await ask("erase", given, "--audience", "https://b.example") == 0)
    #expect(server.forms.count == asked)
    #expect(await ask("erase", given, "--audience", "https://a.example") == 0)
    #expect(record.out == "" && record.err == [])
    #expect(server.forms.count == asked + 1)
    #expect(server.forms.last?["audience"] == "https://a.example")
    #expect(await ask("get", "", "--audience", "https://a.example") == 0)
    #expect(password != nil && password != second)
    #expect(await ask("get") == 0)
    #expect(password == own)
    #expect(server.forms.count == asked + 1)
  }
}
