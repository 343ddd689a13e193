import AcctModel
import AcctPorts
import AcctPrograms
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Logins of gh")
struct GhLoginsTests {
  let record = RecordedWorld()

  @Test("gh is asked for the token of each user, which is sent as Bearer to both of its origins")
  func gh() async {
    record.installGh()
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
    record.installGh()
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
    record.installGh()
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
        "acct: work/hosts.yml: nils@other.example is left out: its token is not in this file: gh keeps it in a keyring, "
          + "and `acct add --from gh` asks for it",
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
    record.installGh()
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
    record.installGh()
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
    record.installGh()
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

  @Test("A token that --token added under the name of a login is renewed by it")
  func addedBefore() async {
    record.installGh()
    await record.addToken("old", at: "https://github.com", "--name", "alice@github.com")
    #expect(await record.acct("add", "--from", "gh", "alice") == 0)
    #expect(record.err.first == "acct: replaced the token of alice@github.com")
    #expect(record.accountFiles == 1)
  }

  @Test("git's helper gets the token of the user that git names, and none for a user that gh does not have")
  func userOfGit() async {
    record.installGh()
    record.foreignFiles[.gh] =
      "github.com:\n    git_protocol: https\n    users:\n        mara:\n        mara-at-work:\n    user: mara\n"
    #expect(await record.acct("add", "--from", "gh") == 0)
    for (user, password) in [("mara-at-work", "mara-at-work"), ("mara", "mara"), ("x-access-token", "mara")] {
      #expect(await record.helper("protocol=https\nhost=github.com\nusername=\(user)\n", "git", "get") == 0)
      #expect(record.out.contains("password=made-up-token-of-\(password)\n"), "\(user): \(record.out)")
    }
    _ = await record.helper("protocol=https\nhost=github.com\nusername=nobody-here\n", "git", "get")
    #expect(!record.out.contains("password="), "\(record.out)")
  }
}

extension RecordedWorld {
  /// Installs a gh that gives the token of the user that it is asked for.
  func installGh() {
    foreignFiles[.gh] = "github.com:\n    users:\n        alice:\n        bob:\n    user: alice\n"
    programs.install("gh") { _ throws(ProgramFailure) in throw .unusable(.notFound(program: "gh")) }
    programs.install("env") { call throws(ProgramFailure) in
      guard let user = call.arguments.last, call.arguments.contains("github.com") else {
        return ProgramResult(status: 1, output: Secret(""))
      }
      return ProgramResult(status: 0, output: Secret("made-up-token-of-\(user)\n"))
    }
  }
}
