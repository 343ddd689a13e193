import AcctModel
import AcctPorts
import AcctPrograms
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// Logins that other tools lost, gave to the wrong account, or wrote into a name.
@Suite("Logins that are taken over whole, or not at all")
struct TakenWholeTests {
  let record = RecordedWorld()

  private static let token = "gho_InTheUsersPlace0000000000000000000000"

  private static let tokensAsUsers: [(OtherProgram, String)] = [
    (.git, "https://\(token):x-oauth-basic@github.com\n"), (.git, "https://\(token):@github.com\n"),
    (.git, "https://\(token):\(token)@github.com\n"),
    (.netrc, "machine github.com\n\tlogin \(token)\n\tpassword x-oauth-basic\n"),
    (.netrc, "machine github.com login \(token)"), (.netrc, "machine github.com login \(token) password \"\""),
    (.docker, #"{"auths":{"github.com":{"username":"\#(token)","password":"x"}}}"#),
  ]

  @Test("A token in the user's place is in no output and no file, and the account is called after the host")
  func tokenAsUser() async {
    for (program, text) in Self.tokensAsUsers {
      let record = RecordedWorld()
      record.foreignFiles[program] = text
      for line in [
        ["--from", "list"], ["--from", program.rawValue, "--dry-run"],
        ["--from", program.rawValue, "--dry-run", "--json"],
        ["--from", program.rawValue],
      ] {
        #expect(await record.run(["add"] + line) == 0, "\(record.err)")
        for text in [record.out, record.err.joined(), record.filesText] {
          #expect(!text.contains("InTheUsersPlace"), "\(line): \(text)")
        }
      }
      #expect(record.err.first == "acct: added github.com")
      for command in [["list"], ["list", "--json"], ["status"], ["status", "--json"], ["log"]] {
        #expect(await record.run(command) == 0)
        #expect(!record.out.contains("InTheUsersPlace") && !record.err.joined().contains("InTheUsersPlace"))
      }
      // It is sent as the program sent it, and a second time it renews its own account.
      #expect(await record.acct("add", "--from", program.rawValue) == 0)
      #expect(record.err.first == "acct: replaced the token of github.com")
      #expect(record.accountFiles == 1)
    }
  }

  @Test("A token in the user's place is sent as the user, and handed to programs as the user")
  func tokenAsUserIsSent() async {
    record.foreignFiles[.git] = "https://ghp_made-up-made-up-1:x-oauth-basic@github.com\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "ghp_made-up-made-up-1\n")
    #expect(await record.acct("header", "https://github.com/") == 0)
    #expect(record.out == "Authorization: Basic Z2hwX21hZGUtdXAtbWFkZS11cC0xOngtb2F1dGgtYmFzaWM=\n")
    #expect(await record.helper("protocol=https\nhost=github.com\n", "git", "get") == 0)
    #expect(record.out == "username=ghp_made-up-made-up-1\npassword=x-oauth-basic\n")
    record.foreignFiles[.git] = "https://ghp_made-up-made-up-1:two%20words@other.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(await record.acct("header", "https://other.example/") == 0)
    #expect(record.out == "Authorization: Basic Z2hwX21hZGUtdXAtbWFkZS11cC0xOnR3byB3b3Jkcw==\n")
  }

  @Test("--token --basic with a token as the user keeps it as a secret, beside what the file has")
  func basicOption() async {
    record.secretFiles["in"] = "x-oauth-basic\n"
    let line = ["add", "--token", "in", "--basic", "ghp_made-up-made-up-1", "--allow-origin", "https://github.com"]
    #expect(await record.run(line) == 0, "\(record.err)")
    #expect(record.err.first == "acct: added github.com")
    #expect(!record.filesText.contains("ghp_made-up-made-up-1"))
    #expect(await record.acct("header", "https://github.com/") == 0)
    #expect(record.out == "Authorization: Basic Z2hwX21hZGUtdXAtbWFkZS11cC0xOngtb2F1dGgtYmFzaWM=\n")
  }

  @Test("Several logins of one host by path are several accounts, and each path gets its own")
  func paths() async {
    record.foreignFiles[.git] = """
      https://x-access-token:secret-of-north@github.com/north/map.git
      https://x-access-token:secret-of-south@github.com/south/map.git

      """
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(
      record.err == [
        "acct: added x-access-token@github.com/north/map.git", "acct: added x-access-token@github.com/south/map.git",
        "acct: git still has the passwords; to remove them there, delete their lines in /home/.git-credentials",
      ]
    )
    for side in ["south", "north"] {
      #expect(await record.helper("protocol=https\nhost=github.com\npath=\(side)/map.git\n", "git", "get") == 0)
      #expect(record.out.contains("password=secret-of-\(side)\n"), "\(record.out) \(record.err)")
    }
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.accountFiles == 2)
  }

  @Test("Two that would be one account are named and left, and the advice names the lines that were taken")
  func twins() async {
    record.foreignFiles[.git] = """
      https://u:one@a.example
      https://u:made-up@b.example
      https://u:two@a.example
      https://v:made-up@a.example

      """
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(
      record.err == [
        "acct: /home/.git-credentials: line 1: a.example is left out: it and line 3 would be one account, and their secrets differ",
        "acct: /home/.git-credentials: line 3: a.example is left out: it and line 1 would be one account, and their secrets differ",
        "acct: added u@b.example", "acct: added v@a.example",
        "acct: git still has the passwords; to remove them there, delete lines 2, 4 in /home/.git-credentials",
      ]
    )
    #expect(await record.acct("add", "--from", "git", "v@a.example") == 0)
    #expect(record.err.last?.hasSuffix("delete line 4 in /home/.git-credentials") == true)
  }

  @Test("A .netrc is read as curl reads it: the rest of a line behind # is a comment")
  func comment() async {
    record.foreignFiles[.netrc] =
      "machine files.example.com login olga password today # before: login oleg password yesterday\n"
    #expect(await record.acct("add", "--from", "netrc") == 0)
    #expect(record.err.first == "acct: added olga@files.example.com")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "today\n")
  }

  @Test("Docker Hub is one registry by all of its names, and a part of a registry is a place")
  func docker() async {
    record.foreignFiles[.docker] = """
      {"auths":{"docker.io":{"auth":"YWxpY2U6aHVi"},"quay.io":{"auth":"YWxpY2U6YWxs"},
       "quay.io/team-a":{"auth":"YWxpY2U6dGVhbQ=="}}}
      """
    #expect(await record.acct("add", "--from", "docker") == 0)
    #expect(
      record.err == [
        "acct: added alice@index.docker.io", "acct: added alice@quay.io", "acct: added alice@quay.io/team-a",
        "acct: docker still has the login; to remove it there: `docker logout docker.io`",
        "acct: docker still has the login; to remove it there, delete its entry quay.io in /home/.docker/config.json",
        "acct: docker still has the login; to remove it there, delete its entry quay.io/team-a in /home/.docker/config.json",
      ]
    )
    for (server, password) in [
      ("https://index.docker.io/v1/", "hub"), ("docker.io", "hub"), ("registry-1.docker.io", "hub"),
      ("registry.hub.docker.com", "hub"), ("quay.io", "all"), ("quay.io/team-a", "team"),
    ] {
      #expect(await record.docker("get", server) == 0, "\(server) \(record.err)")
      #expect(record.out.contains(#""Secret":"\#(password)""#), "\(server) \(record.out)")
    }
  }

  @Test("A file that is named is read beside its own settings, and the program's own are not read")
  func namedFile() async {
    record.foreignFiles[RecordedForeignFiles.path(of: .cargoSettings)] =
      "[registries.example]\nindex = \"sparse+https://today.example.com/index/\"\n"
    record.foreignFiles["./old/credentials.toml"] = "[registries.example]\ntoken = \"of-formerly\"\n"
    #expect(await record.acct("add", "--from", "cargo", "./old/credentials.toml") == 1)
    #expect(record.err.first?.contains("line 2: example is left out") == true)
    record.foreignFiles["./old/config.toml"] =
      "[registries]\nexample = { index = \"sparse+https://formerly.example.com/index/\" }\n"
    #expect(await record.acct("add", "--from", "cargo", "./old/credentials.toml") == 0)
    #expect(
      record.err == [
        "acct: added cargo@formerly.example.com",
        "acct: the secret is still in ./old/credentials.toml; to remove it there, delete its entry example",
      ]
    )
    #expect(await record.acct("header", "https://formerly.example.com/") == 0)
    #expect(record.out == "Authorization: of-formerly\n")
    // A variable that names an index is today's, too.
    record.set("CARGO_REGISTRIES_EXAMPLE_INDEX", to: "sparse+https://variable.example.com/")
    #expect(await record.acct("add", "--from", "cargo", "./old/credentials.toml", "--dry-run") == 0)
    #expect(record.out.contains("formerly.example.com"))
    record.foreignFiles[.cargo] = "[registries.example]\ntoken = \"of-today\"\n"
    #expect(await record.acct("add", "--from", "cargo", "--dry-run") == 0)
    #expect(record.out.contains("variable.example.com"))
  }

  /// A file of each program, and its secrets.
  private static let corpus: [(OtherProgram, String, secrets: [String])] = [
    (
      .git,
      "https://alice:hush%2Done@a.example\nhttps://ghp_hush-two-as-long-as-they-are:x-oauth-basic@b.example\nssh://c:hush-three@c.example\n",
      ["hush-one", "hush%2Done", "ghp_hush-two-as-long-as-they-are", "hush-three"]
    ),
    (
      .netrc,
      "machine a.example login bob password hush-four # login x password hush-five\nmachine b.example login npm_hush-six-as-long-as-they-are\n"
        + "default login y password hush-seven\n",
      ["hush-four", "hush-five", "npm_hush-six-as-long-as-they-are", "hush-seven"]
    ),
    (
      .docker,
      #"{"auths":{"a.example":{"auth":"Y2Fyb2w6aHVzaC1laWdodA=="},"b.example":{"auth":"aHVzaC1uaW5l"},"c.example":"#
        + #"{"identitytoken":"hush-ten"},"d.example":{"username":"dckr_pat_hush-as-long-as-they-are","password":"hush-eleven"}}}"#,
      [
        "hush-eight", "Y2Fyb2w6aHVzaC1laWdodA", "hush-nine", "aHVzaC1uaW5l", "hush-ten",
        "dckr_pat_hush-as-long-as-they-are", "hush-eleven",
      ]
    ),
    (
      .cargo,
      "[registry]\ntoken = \"hush-twelve\"\n[registries.b]\ntoken = 'hush-13'\n[registries.c]\nsecret-key = 'hush-14'\n",
      ["hush-twelve", "hush-13", "hush-14"]
    ),
    (
      .gh, "a.example:\n    user: dave\n    oauth_token: gho_hush-15\nb c:\n    oauth_token: gho_hush-16\n",
      ["hush-15", "hush-16"]
    ),
    (
      .glab,
      "hosts:\n    a.example:\n        token: glpat-hush-17\n    b.example:\n        is_oauth2: \"true\"\n"
        + "        token: hush-18\n        oauth2_refresh_token: hush-19\n", ["hush-17", "hush-18", "hush-19"]
    ),
  ]

  @Test("No secret of any file is in an output or in a file in clear", arguments: corpus.indices)
  func noSecretInClear(row: Int) async {
    let (program, text, secrets) = Self.corpus[row]
    record.foreignFiles[program] = text
    record.programs.install(program.rawValue) { _ throws(ProgramFailure) in ProgramResult(status: 1, output: Secret(""))
    }
    let from = ["add", "--from", program.rawValue]
    let lines = [
      ["add", "--from", "list"], ["add", "--from", "list", "--json"], from + ["--dry-run"],
      from + ["--dry-run", "--json"],
      from, from + ["--json"], ["list"], ["list", "--json"], ["status"], ["status", "--json"], ["log"],
    ]
    for line in lines {
      #expect(await record.run(line) == 0, "\(line) \(record.err)")
      let written = record.out + record.err.joined(separator: "\n") + record.filesText
      for secret in secrets { #expect(!written.contains(secret), "\(secret) of \(line)") }
    }
    #expect(record.accountFiles > 0)
  }
}
