import AcctModel
import AcctPorts
import AcctPrograms
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Logins that other programs keep")
struct AddFromTests {
  let record = RecordedWorld()

  @Test("A login that an account has under another name renews that account")
  func renewed() async {
    record.foreignFiles[.git] = "https://alice:old@git.example\n"
    #expect(await record.acct("add", "--from", "git", "--name", "work") == 0)
    record.foreignFiles[.git] = "https://alice:new@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: replaced the token of work")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "new\n")
    #expect(record.accountFiles == 1)
  }

  @Test("A login does not replace an account of its name that has another form or origin; the others are added")
  func nameTaken() async {
    await record.addToken("mine", at: "https://git.example", "--name", "alice@git.example")
    record.foreignFiles[.git] = "https://alice:made-up@git.example\nhttps://bob:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 64)
    #expect(
      record.err.contains(
        "acct: alice@git.example was not added: alice@git.example has a token that is sent in another form"
      )
    )
    #expect(record.err.contains("acct: added bob@git.example"))
    #expect(await record.acct("token", "-a", "alice@git.example") == 0)
    #expect(record.out == "mine\n")
    // The same form, and a server that git never sent it to.
    await record.addToken("mine", at: "https://other.example", "--name", "carol@git.example", "--basic", "carol")
    record.foreignFiles[.git] = "https://carol:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 64)
    #expect(record.err.first == "acct: another account is called carol@git.example")
    #expect(await record.acct("token", "-a", "carol@git.example") == 0)
    #expect(record.out == "mine\n")
    #expect(await record.acct("add", "--from", "git", "--name", "c") == 0)
  }

  @Test("A failure among several logins is one JSON object on standard error, and what was added is on standard output")
  func json() async {
    await record.addToken("mine", at: "https://git.example", "--name", "alice@git.example")
    record.foreignFiles[.git] = "https://alice:made-up@git.example\nhttps://bob:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git", "--json", "-q") == 64)
    #expect(record.json?.objectValue?["accounts"]?.arrayValue?.map { $0["name"] } == ["bob@git.example"])
    #expect(record.err.count == 1 && record.err.first?.contains(#""code":"nameNeeded""#) == true)
  }

  @Test("--from alone lists what there is and asks no program; --dry-run adds nothing")
  func listed() async {
    record.installGh()
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    record.foreignFiles["/home/.config/oidc-agent/egi"] = "encrypted"
    for line in [["add", "--from"], ["add", "--from", "list"], ["--no-color", "add", "--from"]] {
      #expect(await record.run(line) == 0)
      #expect(record.out.split(separator: "\n").count >= 5)
      for name in ["alice@github.com", "bob@github.com", "alice@git.example", "egi"] {
        #expect(record.out.contains(name))
      }
      #expect(!record.out.contains("made-up"))
    }
    #expect(await record.acct("add", "--from", "git", "--dry-run", "--json") == 0)
    let found = record.json?.objectValue?["found"]?.arrayValue
    #expect(found?.count == 1 && found?.first?["name"] == "alice@git.example")
    #expect(found?.first?["origins"] == ["https://git.example"])
    #expect(record.accountFiles == 0 && record.programs.calls.isEmpty)
  }

  @Test("Without any login, the list and each program end with 1")
  func nothing() async {
    #expect(await record.acct("add", "--from") == 1)
    #expect(record.err.first == "acct: no other program has a login that acct can take over")
    for program in OtherProgram.allCases { #expect(await record.acct("add", "--from", program.rawValue) == 1) }
    #expect(await record.acct("add", "--from", "git", "/no/such") == 1)
    #expect(record.err.first == "acct: /no/such: no such file or directory")
  }

  @Test("acct add without arguments offers what other programs have, with names, and adds it")
  func guided() async {
    record.installGh()
    record.foreignFiles[.git] = (1...5).map { "https://user\($0):made-up@git.example\n" }.joined()
    record.answer("git")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.err.contains { $0.contains("gh: alice at github.com, bob at github.com") })
    #expect(
      record.err.contains {
        $0.contains("git: user1 at git.example, user2 at git.example, user3 at git.example and 2 more")
      }
    )
    #expect(record.err.last == "acct: without questions: `acct add --from git`")
    #expect(record.accountFiles == 5)
  }

  @Test("--from with options of a sign-in, another source, an unknown program, or --dry-run alone is a usage error")
  func usage() async {
    for rest in [
      ["--from", "gh", "--scope", "x"], ["--from", "gh", "--guest", "https://a.example"], ["--from", "hub"],
      ["--from="], ["--dry-run"], ["--from", "gh", "--key", "tpm"], ["--from", "gh", "--token", "-"],
    ] {
      #expect(await record.run(["add"] + rest) == 64, "\(rest)")
    }
  }

  @Test("A token in another's place is told as replaced, and a dry run says before what is done then")
  func replaced() async {
    await record.addToken("mine", at: "https://git.example", "--name", "zed")
    record.foreignFiles[.netrc] = "machine api.example login alice password made-up\n"
    for (options, status, then, would): ([String], Int32, String, JSON) in [
      (["--name", "zed"], 1, "not added: zed has a token for https://git.example, which was kept", .null),
      (["--name", "zed", "--replace"], 0, "replaces the token of zed", true),
      (["--name", "amy"], 0, "added as amy", false), ([], 0, "replaces the token of amy", true),
    ] {
      let line = ["add", "--from", "netrc"] + options
      record.clear()
      #expect(await record.run(line + ["--dry-run", "--json"]) == 0)
      #expect(record.json?.objectValue?["found"]?.arrayValue?.first?["wouldRenew"] == would, "\(options)")
      record.clear()
      #expect(await record.run(line + ["--dry-run"]) == 0)
      #expect(record.out.contains(then), "\(record.out)")
      record.clear()
      #expect(await record.run(line) == status)
      let done = then.replacing("replaces", with: "replaced").replacing("added as", with: "added")
      #expect(status != 0 || record.err.first == "acct: \(done)", "\(record.err)")
    }
    // A session's account is another kind: its name is taken.
    #expect(await record.add(Handoffs.bearer(), "--name", "session") == 0)
    #expect(await record.acct("add", "--from", "netrc", "--name", "session", "--dry-run") == 0)
    #expect(record.out.contains("not added: another account is called session"), "\(record.out)")
    #expect(await record.acct("add", "--from", "netrc", "--name", "session") == 64)
  }

  @Test("A token is no name: --name and rename refuse it, and do not repeat it")
  func tokenAsName() async {
    await record.addToken("mine", at: "https://git.example", "--name", "zed")
    record.foreignFiles[.netrc] = "machine api.example login alice password made-up\n"
    for line in [["add", "--from", "netrc", "--name"], ["add", "--import", "in", "--name"], ["rename", "zed"]] {
      record.clear()
      #expect(await record.run(line + ["ghp_made-up-made-up-1"]) == 64)
      #expect(record.err.first == "acct: a token is no name: names are in clear")
      #expect(!record.err.joined().contains("ghp_") && !record.filesText.contains("ghp_"))
    }
    #expect(await record.acct("rename", "zed", "ghp") == 0)
  }
}
