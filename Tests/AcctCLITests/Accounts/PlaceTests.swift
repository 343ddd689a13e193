import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Places of accounts")
struct PlaceTests {
  let record = RecordedWorld()
  private let host = "https://git.example"

  /// The accounts of one host: of the whole of it, of a part, of a part of that part; the first is active.
  private func three() async {
    for (name, path) in [("whole", ""), ("north", "/north"), ("map", "/north/map.git")] {
      await record.addToken("tok-\(name)", at: host + path, "--name", name)
    }
    #expect(await record.acct("switch", "whole") == 0)
  }

  /// The token on the line that a command prints for a URL.
  private func token(_ words: String...) async -> String {
    record.clear()
    #expect(await record.run(words) == 0, "\(words): \(record.err)")
    return String(record.out.split(whereSeparator: \.isWhitespace).last ?? "")
  }

  @Test("The longest place that a URL is in chooses the account, also against the active one")
  func longest() async {
    await three()
    let rows = [
      ("/", "whole"), ("/south/map.git", "whole"), ("/north", "north"), ("/north/other", "north"),
      ("/northern", "whole"), ("/north/map.git", "map"), ("/north/map.git/info/refs?x", "map"),
      ("/north/../south", "whole"),
    ]
    for (path, name) in rows {
      #expect(await token("header", host + path) == "tok-\(name)", "\(path)")
      #expect(await token("token", host + path) == "tok-\(name)", "\(path)")
    }
  }

  @Test("Every command that takes a URL chooses alike")
  func everyCommand() async {
    await three()
    let url = "\(host)/north/x"
    record.serve(200, "done", [("RateLimit-Limit", "100"), ("RateLimit-Remaining", "7"), ("RateLimit-Reset", "60")])
    #expect(await record.acct("request", url) == 0)
    #expect(record.requests.last?.fields.first.map { text(of: $0.value) } == "Bearer tok-north")
    #expect(await record.acct("limits", url) == 0)
    #expect(record.out.contains("7"))
    #expect(await record.acct("limits", "\(host)/") == 0)
    #expect(record.err.last == "acct: no server has reported a limit of whole yet")
    record.provide("-", "HTTP/1.1 200 OK\nRateLimit-Limit: 50\nRateLimit-Remaining: 3\nRateLimit-Reset: 60\n\n")
    #expect(await record.acct("observe", "\(host)/north/map.git", "--json") == 0)
    #expect(record.json?.objectValue?["accountName"] == "map" || record.out.contains("map"))
    #expect(await record.acct("exec", "--for", url, "--", "true") == 0)
    #expect(record.err.contains("acct: using north, which has \(host)/north"))
  }

  @Test("A place chooses and does not protect: the account still has the whole origin")
  func noBoundary() async {
    await three()
    #expect(await record.acct("header", "-a", "map", "\(host)/elsewhere") == 0)
    #expect(await record.acct("remove", "--local", "whole") == 0)
    #expect(await record.acct("remove", "--local", "north") == 0)
    #expect(await token("header", "\(host)/elsewhere") == "tok-map")
  }

  @Test("Outside of the places of two accounts neither is chosen")
  func outside() async {
    await three()
    #expect(await record.acct("remove", "--local", "whole") == 0)
    #expect(await record.acct("header", "\(host)/south") == 5)
    #expect(record.err.first == "acct: \(host) is an origin of map, north, and not of the active account")
  }

  @Test("Allow gives a place to an account, and --revoke takes it, and the origin with the last one")
  func allow() async {
    await three()
    #expect(await record.acct("allow", "whole", "\(host)/south/") == 0)
    #expect(record.err == ["acct: headers of whole may go to \(host), and it is the choice for \(host)/south"])
    #expect(await record.acct("allow", "whole", "\(host)/south", "--revoke") == 0)
    #expect(
      record.err == ["acct: whole is no longer the choice for \(host)/south; its headers may still go to \(host)"]
    )
    #expect(await record.acct("allow", "whole", "\(host)/south", "--revoke") == 1)
    #expect(record.err == ["acct: \(host)/south is not a place of whole"])
    #expect(await record.acct("allow", "north", "\(host)/north", "--revoke") == 0)
    #expect(record.err == ["acct: headers of north no longer go to \(host)"])
    #expect(await record.acct("header", "-a", "north", "\(host)/north") == 8)
  }

  @Test("List, status and JSON show places, and an origin beside them")
  func shown() async {
    await three()
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("git.example/north/map.git"))
    #expect(await record.acct("allow", "north", "https://api.example") == 0)
    #expect(await record.acct("status", "north") == 0)
    #expect(record.out.contains("\(host)/north https://api.example"))
    #expect(await record.acct("status", "--json", "north") == 0)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["origins"] == [.string(host), "https://api.example"])
    #expect(account?["places"] == [.string("\(host)/north"), "https://api.example"])
    #expect(await record.acct("status", "--json", "whole") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["places"] == [])
  }

  @Test("Places stay through an export and an import, a new token and a rename")
  func stay() async {
    await three()
    record.secretFiles["pass"] = "correct horse battery staple\n"
    let export = ["export", "north", "--output", "-", "--passphrase-file", "pass"]
    #expect(await record.run(export) == 0, "\(record.err)")
    let file = record.out
    #expect(await record.acct("remove", "--local", "north") == 0)
    record.provide("-", file)
    #expect(await record.run(["add", "--import", "-", "--passphrase-file", "pass"]) == 0, "\(record.err)")
    record.secretFiles["token"] = "tok-new\n"
    #expect(await record.acct("login", "north", "--token", "token") == 0, "\(record.err)")
    #expect(await record.acct("rename", "north", "n") == 0)
    #expect(await record.acct("switch", "whole") == 0)
    #expect(await token("header", "\(host)/north/x") == "tok-new")
  }

  @Test("The proxy with --all serves two accounts of one origin by their places")
  func proxy() async {
    await three()
    record.serve(200, "")
    let record = record
    record.clear()
    record.localServer.visit { ask in
      while record.out.isEmpty { await Task.yield() }
      for path in ["/north/map.git/x", "/north/y", "/z"] { _ = await ask("GET", path, [("Host", "git.example")], nil) }
    }
    #expect(await record.acct("proxy", "--all") == 0, "\(record.err)")
    let sent = record.requests.map { $0.fields.first.map { text(of: $0.value) } ?? "" }
    #expect(sent == ["Bearer tok-map", "Bearer tok-north", "Bearer tok-whole"])
    #expect(await record.acct("remove", "--local", "whole") == 0)
    record.clear()
    record.localServer.visit { ask in
      while record.out.isEmpty { await Task.yield() }
      #expect(await ask("GET", "/z", [("Host", "git.example")], nil).status == 421)
    }
    #expect(await record.acct("proxy", "--all") == 0)
    #expect(record.err.first?.contains("\(host) is an origin of map, north") == true)
    #expect(await record.acct("allow", "map", "\(host)/north") == 0)
    #expect(await record.acct("proxy", "--all") == 5)
  }

  @Test(
    "A user in the URL is its account's, before --account, a place and the active account",
    arguments: ["header", "token"]
  )
  func user(command: String) async {
    await record.addToken("tok-mara", at: host, "--basic", "mara")
    await record.addToken("tok-work", at: "\(host)/north", "--basic", "mara-at-work")
    #expect(await record.acct("token", "https://mara@git.example/north/x") == 0)
    #expect(record.out == "tok-mara\n")
    #expect(await record.acct("token", "-a", "mara@git.example", "https://mara-at-work@git.example/") == 0)
    #expect(record.out == "tok-work\n")
    #expect(
      record.err == ["acct: using mara-at-work@git.example/north, whose user is in the URL, and not mara@git.example"]
    )
    #expect(await record.acct(command, "https://nobody@git.example/") == 5)
    #expect(
      record.err.first
        == "acct: none of the accounts of \(host) is called nobody; they are mara-at-work@git.example/north, mara@git.example"
    )
    #expect(await record.acct("token", "https://x-access-token@git.example/north/x") == 0)
    #expect(record.out == "tok-work\n")
    #expect(await record.acct(command, "https://mara:secret@git.example/") == 8)
    #expect(!record.err.joined().contains("secret"))
  }
}
