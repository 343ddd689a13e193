import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The accounts of a folder")
struct DirectoryNamesTests {
  private let record = RecordedWorld()

  /// Three tokens: two for one host, of which one is for a path there, and one for another; the last one is active.
  private func three() async {
    for (name, origin) in [
      ("home", "https://git.example"), ("work", "https://git.example/team"), ("lab", "https://lab.example"),
    ] {
      await record.addToken("token-\(name)", at: origin, "--name", name)
    }
  }

  private func sent(to url: String) async -> String {
    #expect(await record.acct("header", url) == 0, "\(record.err)")
    return record.out
  }

  @Test("Of the names in .acct a URL chooses one, and the first is meant where none or several have it")
  func several() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["home", "lab"])])
    #expect(await sent(to: "https://git.example/x") == "Authorization: Bearer token-home\n")
    #expect(await sent(to: "https://lab.example/x") == "Authorization: Bearer token-lab\n")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "token-home\n")
    record.place([.trusted(path: "/p/.acct", names: ["lab", "work", "home"])])
    #expect(await sent(to: "https://git.example/team/x") == "Authorization: Bearer token-work\n")
    #expect(await sent(to: "https://git.example/other") == "Authorization: Bearer token-home\n")
  }

  @Test("git gets the account of a folder that has the host")
  func git() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["lab", "home"])])
    #expect(await record.git("protocol=https", "host=git.example", "path=x.git") == 0)
    #expect(record.out.contains("password=token-home\n"), "\(record.err)")
    #expect(await record.git("protocol=https", "host=lab.example") == 0)
    #expect(record.out.contains("password=token-lab\n"), "\(record.err)")
  }

  @Test("A URL that none of a folder's accounts has is refused, and the hint adds the one that has it")
  func otherOwner() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["home", "work"])])
    #expect(await record.acct("header", "https://lab.example/x") == 8)
    #expect(
      record.err.last
        == "acct: hint: lab has it: `acct -a lab header ...`, or `acct switch --here --add lab` for this folder",
      "\(record.err)"
    )
  }

  @Test("A name in .acct that no account has is told with its file, in whichever line it is")
  func unknown() async {
    await three()
    for names in [["nowhere"], ["nowhere", "home"], ["home", "nowhere"]] {
      record.place([.trusted(path: "/p/.acct", names: names)])
      #expect(await record.acct("header", "https://git.example/x") == 5)
      #expect(record.err.first == "acct: no account is called nowhere, which /p/.acct names")
    }
  }

  @Test("An account that was renamed is found by its former name, until another account has that")
  func renamed() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["home"])])
    #expect(await record.acct("rename", "home", "house") == 0)
    record.clear()
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "token-home\n")
    #expect(record.err == ["acct: home, in /p/.acct, is now called house"])
    #expect(await record.acct("token", "-a", "home") == 0)
    #expect(record.err == ["acct: home is now called house"])
    #expect(await record.acct("rename", "house", "cottage") == 0)
    #expect(await record.acct("token", "-a", "home") == 0)
    #expect(record.err == ["acct: home is now called cottage"])
    // What changes an account takes it by its own name.
    #expect(await record.acct("remove", "home", "--local") == 5)
    #expect(await record.acct("rename", "lab", "home") == 0)
    #expect(await record.acct("token", "-a", "home") == 0)
    #expect(record.out == "token-lab\n")
    #expect(record.err == [])
  }

  @Test("switch --here writes the names of a folder, and --add keeps those that are there")
  func written() async {
    await three()
    record.enter("/p")
    #expect(await record.acct("switch", "--here", "home", "lab") == 0, "\(record.err)")
    #expect(record.err == ["acct: /p/.acct chooses home, lab"])
    #expect(record.foreignFiles["/p/.acct"] == "home\nlab\n")
    record.place([.trusted(path: "/p/.acct", names: ["home", "lab"])])
    #expect(await record.acct("switch", "--here", "--add", "work", "lab", "--json") == 0)
    #expect(record.json?["file"] == "/p/.acct")
    #expect(record.json?["accountNames"] == ["home", "lab", "work"])
    #expect(record.foreignFiles["/p/.acct"] == "home\nlab\nwork\n")
    #expect(await record.acct("switch", "--here", "work") == 0)
    #expect(record.err == ["acct: /p/.acct chooses work, and no longer home, lab"])
    // The active account is still the one of everywhere else.
    record.place([])
    #expect(await record.acct("token") == 0)
    #expect(record.out == "token-lab\n")
  }

  @Test("switch --here writes nothing for an unknown account, a file that can't be read, or a folder that is gone")
  func refused() async {
    await three()
    record.enter("/p")
    #expect(await record.acct("switch", "--here", "home", "nowhere") == 5)
    record.place([.unusable(path: "/p/.acct", reason: "it is not UTF-8")])
    #expect(await record.acct("switch", "--here", "--add", "home") == 65)
    #expect(record.err.first == "acct: /p/.acct chooses no account: it is not UTF-8")
    #expect(record.foreignFiles["/p/.acct"] == nil)
    record.enter(nil)
    #expect(await record.acct("switch", "--here", "home") == 65)
    for words in [["home", "lab"], ["--add", "home"]] { #expect(await record.run(["switch"] + words) == 64) }
  }
}
