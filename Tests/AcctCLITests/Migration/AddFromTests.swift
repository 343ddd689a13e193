import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Logins that other programs keep")
struct AddFromTests {
  let record = RecordedWorld()

  private func installGh(_ record: RecordedWorld) {
    record.foreignFiles[.gh] = "github.com:\n    users:\n        alice:\n        bob:\n    user: alice\n"
    record.programs.install("gh") { _ throws(ProgramFailure) in
      throw .unusable(.notFound(program: "gh"))
    }
    record.programs.install("env") { call throws(ProgramFailure) in
      guard let user = call.arguments.last, call.arguments.contains("github.com") else {
        return ProgramResult(status: 1, output: Secret(""))
      }
      return ProgramResult(status: 0, output: Secret("made-up-token-of-\(user)\n"))
    }
  }

  @Test("gh is asked for the token of each user, which is sent as Bearer to both of its origins")
  func gh() async {
    installGh(record)
    #expect(await record.acct("add", "--from", "gh") == 0)
    #expect(
      record.err == [
        "acct: added alice@github.com", "acct: added bob@github.com",
        "acct: gh still has the token; to remove it there: `gh auth logout --hostname github.com --user alice`",
        "acct: gh still has the token; to remove it there: `gh auth logout --hostname github.com --user bob`",
      ]
    )
    #expect(
      record.programs.calls.map { $0.arguments.drop { $0 != "gh" } } == [
        ["gh", "auth", "token", "--hostname", "github.com", "--user", "alice"],
        ["gh", "auth", "token", "--hostname", "github.com", "--user", "bob"],
      ]
    )
    // What the environment has is not the user's of that name.
    #expect(record.programs.calls.allSatisfy { $0.program == "env" && $0.arguments.contains("GH_TOKEN") })
    for url in ["https://api.github.com/user", "https://github.com/"] {
      #expect(await record.acct("header", "-a", "bob@github.com", url) == 0)
      #expect(record.out == "Authorization: Bearer made-up-token-of-bob\n")
    }
    #expect(await record.acct("header", "-a", "bob@github.com", "https://evil.example/") == 8)
    // The first became active.
    #expect(await record.status("name") == "alice@github.com")
  }

  @Test("A gh that knows no --user gives the token of its own user, and of no other")
  func oldGh() async {
    installGh(record)
    record.programs.install("env") { call throws(ProgramFailure) in
      guard !call.arguments.contains("--user") else {
        return ProgramResult(status: 1, output: Secret(""), errors: Secret("unknown flag: --user\n"))
      }
      return ProgramResult(status: 0, output: Secret("made-up-token-of-alice\n"))
    }
    #expect(await record.acct("add", "--from", "gh") == 1)
    #expect(
      record.err == [
        "acct: added alice@github.com",
        "acct: bob@github.com was not added: gh did not give the secret: unknown flag: --user",
        "acct: gh still has the token; to remove it there: `gh auth logout --hostname github.com --user alice`",
      ]
    )
    #expect(record.accountFiles == 1)
  }

  @Test("A file of gh's that is named gives its own tokens, gh is not asked, and no line ends the login of gh itself")
  func namedFile() async {
    installGh(record)
    record.foreignFiles["work/hosts.yml"] = """
      github.com:
          user: nils-work
          oauth_token: made-up-at-work
      git.example:
          oauth_token: made-up-of-nobody
      other.example:
          user: nils
      """
    #expect(await record.acct("add", "--from", "gh", "work/hosts.yml") == 0)
    #expect(
      record.err == [
        "acct: work/hosts.yml: nils@other.example is left out: its token is not in this file: its program keeps it in a "
          + "keyring, and is asked without a file",
        "acct: added nils-work@github.com", "acct: added gh@git.example",
        "acct: the secret is still in work/hosts.yml; to remove it there, delete its entry",
      ]
    )
    #expect(await record.acct("token", "-a", "nils-work@github.com") == 0)
    #expect(record.out == "made-up-at-work\n")
    #expect(await record.acct("token", "-a", "gh@git.example") == 0)
    #expect(record.programs.calls.isEmpty)
  }

  @Test("A user whose token gh does not have gets no other user's")
  func notAnotherUser() async {
    installGh(record)
    record.programs.install("env") { call throws(ProgramFailure) in
      call.arguments.contains("--user")
        ? ProgramResult(status: 1, output: Secret(""), errors: Secret("no oauth token found for github.com account\n"))
        : ProgramResult(status: 0, output: Secret("made-up-token-of-bob\n"))
    }
    #expect(await record.acct("add", "--from", "gh", "alice") == 1)
    #expect(record.accountFiles == 0)
  }

  @Test("One login of several is chosen by its name, its user or its host")
  func chosen() async {
    installGh(record)
    for word in ["bob", "bob@github.com"] {
      #expect(await record.acct("add", "--from", "gh", word) == 0)
      #expect(record.accountFiles == 1)
    }
    #expect(await record.acct("add", "--from", "gh", "carol") == 1)
    #expect(record.err.first == "acct: gh has no login called carol")
    #expect(await record.acct("add", "--from", "gh", "--name", "work") == 64)
    #expect(await record.acct("add", "--from", "gh", "alice", "--name", "work") == 0)
    #expect(record.err.first == "acct: added work")
  }

  @Test("A program that is missing, refuses or answers nothing useful is named, and nothing is stored")
  func failures() async {
    record.foreignFiles[.gh] = "github.com:\n    user: alice\n"
    #expect(await record.acct("add", "--from", "gh") == 1)
    #expect(record.err.first == "acct: gh is not installed")
    installGh(record)
    record.foreignFiles[.gh] = "github.com:\n    user: alice\n"
    record.programs.install("env") { _ throws(ProgramFailure) in
      ProgramResult(status: 1, output: Secret(""), errors: Secret("no oauth token\n"))
    }
    #expect(await record.acct("add", "--from", "gh") == 1)
    #expect(record.err.first == "acct: gh did not give the secret: no oauth token")
    record.programs.install("env") { _ throws(ProgramFailure) in ProgramResult(status: 0, output: Secret("two words")) }
    #expect(await record.acct("add", "--from", "gh") == 65)
    record.programs.install("env") { _ throws(ProgramFailure) in throw .timedOut(program: "env") }
    #expect(await record.acct("add", "--from", "gh") == 1)
    #expect(record.accountFiles == 0)
  }

  @Test(
    "glab's token is in its file, else glab is asked; it is sent as Bearer to its host, and one of OAuth is left out"
  )
  func glab() async {
    record.foreignFiles[.glab] = """
      hosts:
          gitlab.com:
              token:
          git.example:
              token: !!null made-up-in-the-file
              user: alice
              api_protocol: https
          git2.example:
              use_keyring: "true"
              user: bob
          gitlab.org:
              is_oauth2: "true"
              token: made-up-for-hours
              oauth2_refresh_token: made-up
      """
    record.programs.install("glab") { _ throws(ProgramFailure) in ProgramResult(status: 0, output: Secret("")) }
    record.programs.install("env") { _ throws(ProgramFailure) in
      ProgramResult(status: 0, output: Secret("made-up-glpat\n"))
    }
    #expect(await record.acct("add", "--from", "glab") == 0)
    #expect(
      record.err.prefix(3) == [
        "acct: /home/glab: gitlab.org is left out: its token ends within hours, and one program alone can renew it: "
          + "`acct add gitlab:gitlab.org` signs in",
        "acct: added alice@git.example", "acct: added bob@git2.example",
      ]
    )
    for (host, token) in [("git.example", "made-up-in-the-file"), ("git2.example", "made-up-glpat")] {
      #expect(await record.acct("header", "https://\(host)/api/v4/user") == 0)
      #expect(record.out == "Authorization: Bearer \(token)\n")
    }
  }

  @Test("git's passwords become Basic accounts; those for http and of other machines are left out, and said")
  func git() async {
    record.foreignFiles[.git] = """
      https://alice:made%20up@git.example
      https://bob:made-up@git.example:8443/path
      http://carol:made-up@plain.example
      https://dave@git.example
      nonsense
      """
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(
      record.err == [
        "acct: /home/git: line 3 is left out: it is for http, which shows a password to the network",
        "acct: /home/git: line 4 is left out: it has no password",
        "acct: /home/git: line 5 is left out: it names no host that acct can send it to",
        "acct: added alice@git.example", "acct: added bob@git.example:8443",
        "acct: git still has the passwords; to remove them there, delete lines 1, 2 in /home/git",
      ]
    )
    #expect(await record.acct("header", "-a", "alice@git.example", "https://git.example/") == 0)
    #expect(record.out == "Authorization: Basic YWxpY2U6bWFkZSB1cA==\n")
    // Each of them renews its own account.
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.accountFiles == 2)
  }

  @Test("A login that an account has under another name renews that account")
  func renewed() async {
    record.foreignFiles[.git] = "https://alice:old@git.example\n"
    #expect(await record.acct("add", "--from", "git", "--name", "work") == 0)
    record.foreignFiles[.git] = "https://alice:new@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: renewed work")
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

  @Test("A token that --token added under the name of a login is renewed by it")
  func addedBefore() async {
    installGh(record)
    await record.addToken("old", at: "https://github.com", "--name", "alice@github.com")
    #expect(await record.acct("add", "--from", "gh", "alice") == 0)
    #expect(record.err.first == "acct: renewed alice@github.com")
    #expect(record.accountFiles == 1)
  }

  @Test("A login without a user is called by its program, and sent with an empty user")
  func noUser() async {
    record.foreignFiles[.git] = "https://:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: added git@git.example")
    #expect(await record.acct("header", "https://git.example/") == 0)
    #expect(record.out == "Authorization: Basic Om1hZGUtdXA=\n")
  }

  @Test("A .netrc's machines become Basic accounts, by a path or its own place")
  func netrc() async {
    let text = "machine api.example login alice password \"made up\"\r\ndefault login any password made-up\r\n"
    record.foreignFiles["./some/netrc"] = text
    #expect(await record.acct("add", "--from", "netrc") == 1)
    #expect(record.err.first == "acct: netrc has no login that acct can take over")
    #expect(await record.acct("add", "--from", "netrc", "./some/netrc") == 0)
    #expect(record.err.contains("acct: added alice@api.example"))
    #expect(record.err.contains { $0.contains("default is left out: it is for any host") })
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.out == "Authorization: Basic YWxpY2U6bWFkZSB1cA==\n")
  }

  @Test("docker's logins come from its file, and from the helper of a registry")
  func docker() async {
    record.foreignFiles[.docker] = """
      {"auths":{"https://index.docker.io/v1/":{"auth":"YWxpY2U6bWFkZS11cA=="},"other.example":{}},
       "credHelpers":{"registry.example":"made-up"}}
      """
    record.programs.install("docker-credential-made-up") { call throws(ProgramFailure) in
      #expect(call.input == .text("registry.example"))
      return ProgramResult(status: 0, output: Secret(#"{"ServerURL":"x","Username":"bob","Secret":"hush-hush"}"#))
    }
    #expect(await record.acct("add", "--from", "docker") == 0)
    #expect(
      record.err == [
        "acct: /home/docker: other.example is left out: it has no password",
        "acct: added bob@registry.example", "acct: added alice@index.docker.io",
        "acct: docker still has the login; to remove it there: `docker logout registry.example`",
        "acct: docker still has the login; to remove it there: `docker logout https://index.docker.io/v1/`",
      ]
    )
    #expect(await record.acct("token", "-a", "bob@registry.example") == 0)
    #expect(record.out == "hush-hush\n")
  }

  @Test("cargo's tokens are sent alone, to crates.io or to a sparse registry of its settings")
  func cargo() async {
    record.foreignFiles[.cargo] = """
      [registry]
      token = "made-up-crates" # a comment
      [registries.work]
      token = 'Bearer made-up-work'
      [registries.other]
      token = "made-up-other"
      """
    record.foreignFiles[RecordedForeignFiles.path(of: .cargoSettings)] = """
      [registries.work]
      index = "sparse+https://cargo.example/index/"
      [registries.other]
      index = "https://git.example/index.git"
      """
    #expect(await record.acct("add", "--from", "cargo") == 0)
    #expect(
      record.err.contains("acct: added cargo@crates.io") && record.err.contains("acct: added cargo@cargo.example")
    )
    #expect(record.err.first?.contains("other is left out") == true)
    #expect(await record.acct("header", "https://crates.io/api/v1/me") == 0)
    #expect(record.out == "Authorization: made-up-crates\n")
    #expect(await record.acct("header", "https://cargo.example/api") == 0)
    #expect(record.out == "Authorization: Bearer made-up-work\n")
  }

  @Test("--from alone lists what there is and asks no program; --dry-run adds nothing")
  func listed() async {
    installGh(record)
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    record.foreignFiles["/home/oidc-agent/egi"] = "encrypted"
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

  @Test("A word that names no login names a file, and a token that has expired already is said")
  func file() async {
    record.foreignFiles["mine"] = "https://alice:\(Handoffs.token(["exp": 1_799_999_000]))@git.example\n"
    #expect(await record.acct("add", "--from", "git", "mine") == 0)
    #expect(
      record.err.prefix(2) == [
        "acct: the token of alice@git.example has expired already, as its exp says", "acct: added alice@git.example",
      ]
    )
    record.foreignFiles[.git] = "https://mine:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git", "mine") == 0)
    #expect(record.err.first == "acct: added mine@git.example")
    #expect(await record.acct("add", "--from", "git", "yours") == 1)
    #expect(record.err.first == "acct: git has no login called yours")
  }

  @Test("A file that others can read is read, with a warning")
  func exposed() async {
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    record.foreignFiles.expose("/home/git")
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: other users can read /home/git: `chmod 600 /home/git`")
  }

  @Test("A damaged file is named with the line, and nothing is stored")
  func damaged() async {
    record.foreignFiles[.netrc] = "machine a.example\nlogin x password \"open\n"
    #expect(await record.acct("add", "--from", "netrc") == 65)
    #expect(record.err.first == "acct: /home/netrc is not a file of netrc: line 2 is malformed")
    record.foreignFiles[.docker] = "{"
    #expect(await record.acct("add", "--from", "docker") == 65)
    record.foreignFiles[.cargo] = "[registry]\ntoken = \"open\n"
    #expect(await record.acct("add", "--from", "cargo") == 65)
    // What is damaged does not hide the others from the list.
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    #expect(await record.acct("add", "--from") == 0)
  }

  @Test("--import of a file that --from can read says so")
  func importHint() async {
    let files: [(OtherProgram, String)] = [
      (.git, "https://alice:made-up@git.example\n"), (.netrc, "machine a.example login alice password made-up\n"),
      (.docker, #"{"auths":{}}"#), (.cargo, "[registry]\ntoken = \"made-up\"\n"),
    ]
    for (program, text) in files {
      record.provide("in", text)
      #expect(await record.acct("add", "--import", "in") == 65)
      #expect(
        record.err == [
          "acct: in is a file of \(program.rawValue), not JSON for --import",
          "acct: hint: `acct add --from \(program.rawValue) ./in`",
        ]
      )
      record.foreignFiles["./in"] = text
      #expect([0, 1].contains(await record.acct("add", "--from", program.rawValue, "./in")))
    }
    record.provide("in", "nonsense")
    #expect(await record.acct("add", "--import", "in") == 65)
    #expect(record.err.first?.hasPrefix("acct: not JSON") == true)
  }

  @Test("acct add without arguments offers what other programs have, with names, and adds it")
  func guided() async {
    installGh(record)
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
}
