import AcctPorts
import AcctPrograms
import AcctTestSupport
import StrictJSON
import Testing

/// Two accounts of one host, as `gh auth login` for a second user leaves them.
@Suite("The account that a program names, of two on one host")
struct HelperPlaceTests {
  let record = RecordedWorld()
  private let host = "https://git.example"

  /// Two tokens whose users are known, of which the second is active, and given for any program.
  private func two() async {
    for (name, path) in [("work", "/org-a"), ("home", "/org-b")] {
      await record.addToken("tok-\(name)", at: host + path, "--name", name)
    }
  }

  /// A program's name, its words, its question and the variable that it sets, for a URL.
  private static let programs:
    [(name: String, words: @Sendable (String) -> [String], question: @Sendable (String) -> String)] = [
      ("git", { _ in ["git", "get"] }, { "url=\($0)\n\n" }),
      ("docker", { _ in ["docker", "get"] }, { "\($0.dropFirst("https://".count))\n" }),
      ("keyring", { ["keyring", "--mode=creds", "get", $0] }, { _ in "" }),
      ("bazel", { _ in ["bazel", "get"] }, { #"{"uri":"\#($0)"}"# }),
      ("go", { ["go", $0] }, { _ in "" }),
      (
        "cargo", { _ in ["cargo", "--cargo-plugin"] },
        { #"{"v":1,"registry":{"index-url":"sparse+\#($0)"},"kind":"get","operation":"read"}"# + "\n" }
      ),
    ]

  @Test("Each program gets the token of the account whose place its URL is in", arguments: programs.map(\.name))
  func byPath(program: String) async throws {
    let program = try #require(Self.programs.first { $0.name == program })
    await two()
    for (path, token) in [("/org-a/x", "tok-work"), ("/org-b/x", "tok-home"), ("/org-a", "tok-work")] {
      record.provide("-", program.question(host + path))
      record.clear()
      #expect(await record.run(["helper"] + program.words(host + path)) == 0, "\(path): \(record.err)")
      #expect(record.out.contains(token), "\(path): \(record.out)")
    }
  }

  @Test("kubectl gets the token of the account whose place the cluster's address is in")
  func kubectl() async {
    await two()
    for (path, token) in [("/org-a/k8s", "tok-work"), ("/org-b", "tok-home")] {
      record.set(
        "KUBERNETES_EXEC_INFO",
        to: #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","#
          + #""spec":{"cluster":{"server":"\#(host)\#(path)"},"interactive":false}}"#
      )
      #expect(await record.acct("helper", "kubectl") == 0)
      #expect(record.out.contains(token), "\(path): \(record.out)")
    }
  }

  @Test("git's path chooses if git sends it; without one, it is the active account's")
  func gitPath() async {
    await two()
    for (path, token) in [("org-a/x.git", "tok-work"), ("org-b/y.git", "tok-home"), ("org c/ü", "tok-home")] {
      await record.git("protocol=https", "host=git.example", "path=\(path)")
      #expect(record.out.contains("password=\(token)\n"), "\(path): \(record.out) \(record.err)")
    }
    await record.git("protocol=https", "host=git.example")
    #expect(record.out.contains("password=tok-home\n"))
    await record.addToken("other", at: "https://other.example", "--name", "other")
    await record.git("protocol=https", "host=git.example")
    #expect(record.out.isEmpty)
    #expect(record.err.last?.contains("`git config --global credential.useHttpPath true`") == true)
  }

  @Test("The go command sends a place's token below the place only")
  func goPlace() async {
    await two()
    #expect(await record.run(["helper", "go", "\(host)/org-a/mod?go-get=1"]) == 0)
    #expect(record.out == "\(host)/org-a\n\nAuthorization: Bearer tok-work\n\n")
  }

  @Test(
    "A user that is an account's gets that one's secret; one that is no account's gets none, with a hint",
    arguments: [
      ("mara", "gho_Mara"), ("Mara-At-Work", "gho_Work"), ("mara-at-work@github.com", "gho_Work"),
      ("x-access-token", "gho_Mara"), ("git", "gho_Mara"), ("", "gho_Mara"), ("nobody-here", ""),
    ]
  )
  func byUser(user: String, token: String) async {
    await record.addTwoUsers()
    await record.git("protocol=https", "host=github.com", "username=\(user)")
    #expect(record.out.contains("password=\(token)\n") == !token.isEmpty, "\(record.out)")
    if token.isEmpty {
      #expect(record.out.isEmpty)
      #expect(record.err.count == 2)
      #expect(record.err.last == "acct: hint: let the program name one of them, or set ACCT_ACCOUNT")
    }
    record.clear()
    let status = await record.run(["helper", "keyring", "get", "https://github.com/simple/", user])
    if !user.isEmpty {
      #expect(record.out == (token.isEmpty ? "" : "\(token)\n"))
      #expect(status == (token.isEmpty ? 1 : 0))
    }
  }

  @Test(
    "A user that is no account's gets another's secret only if the user of acct names it, and not by a folder's file"
  )
  func nobody() async {
    await record.addTwoUsers()
    record.place([.trusted(path: "/x/.acct", names: ["mara-at-work@github.com"])])
    await record.git("protocol=https", "host=github.com")
    #expect(record.out.contains("password=gho_Work\n"))
    await record.git("protocol=https", "host=github.com", "username=nobody")
    #expect(record.out.isEmpty)
    #expect(await record.acct("header", "https://nobody@github.com/") == 5)
    record.set("ACCT_ACCOUNT", to: "mara-at-work@github.com")
    await record.git("protocol=https", "host=github.com", "username=nobody")
    #expect(record.out.contains("password=gho_Work\n"))
    #expect(await record.acct("header", "https://nobody@github.com/") == 0)
  }

  @Test("A single account of a host answers whatever user the program names")
  func single() async {
    await record.addTwoUsers()
    #expect(await record.acct("remove", "--local", "mara@github.com") == 0)
    await record.git("protocol=https", "host=github.com", "username=nobody-here")
    #expect(record.out.contains("password=gho_Work\n"))
  }

  @Test("A login by docker in a part of a registry is an account of that part, and a logout removes it alone")
  func dockerPlace() async {
    for (server, secret) in [("quay.io", "whole"), ("quay.io/team-a", "part")] {
      #expect(await record.docker("store", #"{"ServerURL":"\#(server)","Username":"mara","Secret":"\#(secret)"}"#) == 0)
    }
    for (server, secret) in [("quay.io/team-a/image", "part"), ("quay.io/team-b", "whole"), ("quay.io", "whole")] {
      #expect(await record.docker("get", server) == 0)
      #expect(record.out.contains(#""Secret":"\#(secret)""#), "\(server): \(record.out)")
    }
    #expect(await record.docker("list") == 0)
    #expect(record.json == ["quay.io": "mara", "quay.io/team-a": "mara"])
    #expect(await record.docker("erase", "quay.io/team-a") == 0)
    #expect(await record.docker("get", "quay.io/team-a/image") == 0)
    #expect(record.out.contains(#""Secret":"whole""#))
  }

  @Test("An account's user counts before the name of another account")
  func userBeforeName() async {
    await record.addToken("tok-bob", at: host, "--name", "bob@git.example")
    await record.addToken("tok-other", at: host, "--name", "bob")
    await record.git("protocol=https", "host=git.example", "username=bob")
    #expect(record.out.contains("password=tok-bob\n"))
  }

  @Test("A user whose name begins as tokens do is a user")
  func userLikeToken() async {
    for user in ["npm_bot", "npm_bot2"] {
      await record.addToken("pass-\(user)", at: host, "--basic", user, "--name", user)
    }
    await record.git("protocol=https", "host=git.example", "username=npm_bot")
    #expect(record.out.contains("password=pass-npm_bot\n"))
  }

  @Test("A login by docker is stored whatever its path is", arguments: ["quay.io/team-token", "quay.io/v2/team"])
  func dockerPaths(server: String) async {
    #expect(await record.docker("store", #"{"ServerURL":"\#(server)","Username":"mara","Secret":"s"}"#) == 0)
    #expect(await record.docker("get", server) == 0)
    #expect(record.out.contains(#""Secret":"s""#))
  }
}

extension RecordedWorld {
  /// Two accounts of GitHub whose users are known, of which Mara's private one is active.
  fileprivate func addTwoUsers() async {
    for (user, token) in [("mara-at-work", "gho_Work"), ("mara", "gho_Mara")] {
      let origins = ["--allow-origin", "https://github.com"]
      secretFiles["token"] = "\(token)\n"
      #expect(await run(["add", "--token", "token", "--name", "\(user)@github.com"] + origins) == 0, "\(err)")
    }
  }
}
