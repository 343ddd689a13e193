import AcctTestSupport
import StrictJSON
import Testing

@Suite("Answers to git")
struct GitHelperTests {
  let record = RecordedWorld()

  private static let own = ["protocol=https", "host=git.example"]

  @Test("Git up to 2.45 gets a token as a password, with its end")
  func password() async {
    await record.addToken("tok", at: "https://git.example", "--expires", "2027-01-20T09:00:00Z")
    #expect(await record.git("protocol=https", "host=git.example") == 0)
    #expect(record.out == "username=oauth2\npassword=tok\npassword_expiry_utc=1800435600\n")
    #expect(record.err == [])
  }

  @Test("Git that announces authtype gets the scheme and the credential, and is told not to keep it")
  func scheme() async {
    await record.addToken("tok", at: "https://git.example")
    let announced = ["capability[]=authtype", "capability[]=state"]
    let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential=tok\nephemeral=1\n"
    for challenge in ["wwwauth[]=Bearer realm=\"x\"", "wwwauth[]=Basic a=\"b\", Bearer", "x=y"] {
      #expect(
        await record.git(announced[0], announced[1], Self.own[0], Self.own[1], challenge) == 0
      )
      #expect(record.out == bearer, "\(challenge)")
    }
  }

  @Test("Git gets a password where the server asks for Basic and for no other scheme")
  func basicOnly() async {
    await record.addToken("tok", at: "https://git.example")
    let challenge = "wwwauth[]=Basic realm=\"Git\""
    #expect(await record.git("capability[]=authtype", Self.own[0], Self.own[1], challenge) == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
  }

  @Test("A static token with a scheme of its own is sent with it by a git that can")
  func ownScheme() async {
    await record.addToken("tok", at: "https://git.example", "--scheme", "token")
    #expect(await record.git("capability[]=authtype", Self.own[0], Self.own[1]) == 0)
    #expect(record.out.contains("authtype=token\ncredential=tok\n"))
    #expect(await record.git(Self.own[0], Self.own[1]) == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
  }

  @Test("A static account with a user gives git user and password, and to no other user")
  func basic() async {
    await record.addToken("pass", at: "https://git.example", "--basic", "alice")
    for user in ["a=b", "username=", "username=alice", "capability[]=authtype"] {
      #expect(await record.git(Self.own[0], Self.own[1], user) == 0)
      #expect(record.out == "username=alice\npassword=pass\n", "\(user)")
    }
    #expect(await record.git(Self.own[0], Self.own[1], "username=bob") == 0)
    #expect(record.out == "")
    #expect(
      record.err == ["acct: the program asks for another user than that of alice@git.example"]
    )
  }

  @Test("A token as a password has the user that git names, or the one that its server prescribes")
  func userNames() async {
    await record.addToken("tok", at: "https://bitbucket.org")
    #expect(await record.git("protocol=https", "host=bitbucket.org") == 0)
    #expect(record.out == "username=x-token-auth\npassword=tok\n")
    #expect(await record.git("protocol=https", "host=bitbucket.org", "username=alice") == 0)
    #expect(record.out == "username=alice\npassword=tok\n")
  }

  @Test("An attribute that is given twice with one value is one, and with two values it is an error")
  func twice() async {
    await record.addToken("tok", at: "https://git.example")
    for line in ["host=git.example", "protocol=https", "username=bob", "path=a"] {
      #expect(await record.git(Self.own[0], Self.own[1], "username=bob", "path=a", line) == 0)
      #expect(record.out == "username=bob\npassword=tok\n", "\(line) \(record.err)")
    }
    for line in ["host=evil.test", "protocol=http", "username=carol", "path=b", "host="] {
      #expect(await record.git(Self.own[0], Self.own[1], "username=bob", "path=a", line) == 1)
      #expect(record.out == "", "\(line)")
      #expect(record.err.first?.hasSuffix("is given twice") == true, "\(record.err)")
    }
    // A URL has its own parts: beside it, even the same ones are two of each.
    #expect(await record.git("url=https://git.example/a", Self.own[1]) == 1)
  }

  @Test("Git gets no credential that takes more than one line, or another field than Authorization")
  func otherForms() async {
    _ = await record.add(Handoffs.dpop())
    #expect(await record.git("capability[]=authtype", "protocol=https", "host=pds.example") == 0)
    #expect(record.out == "")
    #expect(record.err.count == 1 && record.err[0].contains("needs a proof by its DPoP key"))
    await record.addToken("key", at: "https://git.example", "--header", "X-API-Key")
    #expect(await record.git(Self.own[0], Self.own[1]) == 0)
    #expect(record.out == "")
    #expect(record.err.count == 1 && record.err[0].contains("it is sent as the field X-API-Key"))
  }

  /// Hosts as git hands them on: taken from a URL, and decoded.
  private static let foreign = [
    "git.example/.evil.test", "git.example?.evil.test", "git.example#.evil.test", "git.example/",
    "git.example%2f.evil.test", "git.example\\.evil.test", "evil.test@git.example", "git.example@evil.test",
    "user:secret@git.example", "git.example:443@evil.test", "@git.example", "git.example .evil.test",
    "git.example\t.evil.test", "git.example\r", "git.example\u{1B}[2J", " git.example", "git.example ", "git.example.",
    ".git.example", "git..example", "git.example:8443", "git.example:443:443", "git.example:+443", "git.example:0",
    "git.example:65979", "git.example:https", "gıt.example", "ｇit.example", "git.exämple", "xn--git-example",
    "git.example.evil.test", "evil-git.example", "[git.example]", "[::1]git.example", "[]", "", ":443",
    "https://git.example", "git%2eexample",
  ]

  @Test("A host that only resembles the account's own gets nothing", arguments: foreign)
  func foreignHost(_ host: String) async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.git("capability[]=authtype", "protocol=https", "host=\(host)") == 0)
    #expect(record.out == "")
    #expect(!record.err.isEmpty && !record.err.joined().contains("\u{1B}"), "\(record.err)")
    #expect(!record.err.joined().contains("secret"))
  }

  @Test(
    "The account's own origin gets its token in each spelling that URLs have for it",
    arguments: ["git.example", "GIT.example", "git.example:443", "git.example:", "git.example:0443"]
  )
  func ownHost(_ host: String) async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.git("protocol=https", "host=\(host)", "path=@evil.test/?#") == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
  }

  @Test(
    "Another scheme than the account's own gets nothing",
    arguments: ["", "http", "ftp", "https://git.example/x?", "file", "ssh", "https:", "smtp"]
  )
  func foreignScheme(_ scheme: String) async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.git("protocol=\(scheme)", "host=git.example") == 0)
    #expect(record.out == "" && record.err.count >= 1)
  }

  @Test("Plain http gets a token on this machine, from an account that has that very origin")
  func loopback() async {
    await record.addToken("tok", at: "http://127.0.0.1:8080")
    #expect(await record.git("protocol=http", "host=127.0.0.1:8080") == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
    for other in ["localhost:8080", "127.0.0.1", "127.0.0.1:8081", "[::1]:8080"] {
      #expect(await record.git("protocol=http", "host=\(other)") == 0)
      #expect(record.out == "", "\(other)")
    }
  }

  @Test("A URL in place of its parts is parsed as one, and user information in it is refused")
  func urls() async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.git("url=https://git.example/notes.git?x#y") == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
    for url in [
      "https://git.example@evil.test/", "https://a:b@git.example/", "https://evil.test/git.example",
      "https://git.example%2f.evil.test/", "git.example", "ssh://git.example/", "",
    ] {
      #expect(await record.git("url=\(url)") == 0)
      #expect(record.out == "" && record.err.count >= 1, "\(url)")
    }
  }

  @Test(
    "What is not git's protocol is an error without output",
    arguments: [
      "protocol=https\nhost\n\n", "=https\n\n", "protocol=https\nhost=git.example\nhost=b.example\n\n",
      "protocol=https\n\n", "host=git.example\n\n", "\n", "", "url=https://git.example/\nhost=a\n\n",
      "protocol=https\nhost=git.example\nusername=a\nusername=b\n\n", "protocol=https\u{0}\nhost=git.example\n\n",
    ]
  )
  func malformed(_ question: String) async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.helper(question, "git", "get") == 1)
    #expect(record.out == "")
    #expect(record.err.count == 1)
    #expect(record.err.first?.hasPrefix("acct: the program's question can't be read: ") == true)
  }

  @Test("Git's question ends at an empty line, has at most 64 KiB, and attributes that acct ignores")
  func limits() async {
    await record.addToken("tok", at: "https://git.example")
    let question = "protocol=https\nhost=git.example\nnew[]=a\nnew[]=b\nnew=c\nnew=d\n\nrest"
    #expect(await record.helper(question, "git", "get") == 0)
    #expect(record.out == "username=oauth2\npassword=tok\n")
    let long = "protocol=https\nhost=git.example\nx=\(String(repeating: "y", count: 1 << 16))\n\n"
    #expect(await record.helper(long, "git", "get") == 1)
    #expect(record.out == "")
  }

  @Test("Operations that git adds are ignored; without an operation the command line is wrong")
  func operations() async {
    await record.addToken("tok", at: "https://git.example")
    for operation in ["store", "refresh"] {
      let password = "password=another"
      #expect(await record.git(Self.own[0], Self.own[1], password, operation: operation) == 0)
      #expect(record.out == "" && record.err == [])
    }
    #expect(await record.helper("", "git", "capability") == 0)
    #expect(record.out == "version 0\ncapability authtype\n")
    #expect(await record.helper("", "git") == 64)
    #expect(await record.helper("", "git", "get", "more") == 64)
    #expect(await record.helper("", "git", "get", "--mode=x") == 64)
    #expect(await record.helper("", "svn", "get") == 64)
    #expect(record.out == "")
  }

  @Test("An operation that git adds is ignored, whatever is written behind it")
  func laterOperations() async {
    for question in ["no attribute\n\n", "host=a\nhost=b\n\n", "\u{0}", ""] {
      #expect(await record.helper(question, "git", "refresh") == 0, "\(question)")
      #expect(record.out == "" && record.err == [])
    }
  }

  @Test("Git is told in one line that another helper's server is none of acct's, and is not invited")
  func anotherHelpers() async {
    await record.addToken("tok", at: "https://git.example")
    #expect(await record.git("protocol=https", "host=other.example") == 0)
    #expect(record.err == ["acct: no account has the origin https://other.example"])
    let question = "protocol=https\nhost=other.example\n\n"
    #expect(await record.helper(question, "git", "get", "--verbose") == 0)
    #expect(record.err.last?.contains("`acct allow NAME https://other.example`") == true)
  }
}
