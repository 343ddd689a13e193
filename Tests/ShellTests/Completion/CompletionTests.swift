import AcctTestSupport
import Testing

@Suite("Completion in shells") struct CompletionTests {
  @Test("A line is completed as its user meant, whatever the accounts' names")
  func typing() async throws {
    let desk = try await CommandQueue(accounts: TypedLine.accounts)
    for shell in Shell.allCases {
      let runs = try await shell.type(TypedLine.all.map(\.keys), at: desk)
      for (line, run) in zip(TypedLine.all, runs) {
        #expect(run == line.runs, "\(shell): \(line.keys.debugDescription)")
      }
      #expect(runs.count == TypedLine.all.count, "\(shell)")
    }
    #expect(try await !desk.wasTricked())
  }

  @Test("Every shell offers the existing commands, accounts, options and values")
  func offers() async throws {
    let desk = try await CommandQueue(accounts: ["alice", "bob"])
    let tool = try await Tool.built()
    let commands = tool.commands.filter { $0.path.count == 1 }.map { $0.path[0] } + ["help"]
    let status = try #require(tool.commands.first { $0.path == ["status"] })
    let methods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
    let expected = [
      ("acct ", commands),
      ("acct help ", commands),
      ("acct --no-input key ", ["import", "list", "show", "thumbprint"]),
      ("acct remove ", ["alice", "bob"]),
      ("acct token --account=", ["alice", "bob"]),
      ("acct status --", status.options.flatMap(\.names).filter { $0.hasPrefix("--") }),
      ("acct header --format ", ["lines", "curl", "json", "map"]),
      ("acct header P", methods.filter { $0.hasPrefix("P") }),
      ("acct allow alice ", ["https://a0.example"]),
      ("acct rename alice ", []),
      ("acct providers git", ["gitea", "github", "github-host", "github-token", "gitlab", "gitlab-token"]),
      ("acct helper s", ["setup"]),
      ("acct helper setup g", ["git", "go"]),
      ("acct helper setup git --u", ["--undo"]),
      ("acct nonsense ", []),
    ]
    for shell in Shell.allCases {
      let offers = try await shell.offers(expected.map(\.0), at: desk)
      for ((line, words), offered) in zip(expected, offers) {
        // Fish completes whole words: what stands before the value is part of it.
        let offered = offered.map { $0.replacing("--account=", with: "") }
        #expect(offered == words.sorted(), "\(shell): \(line)")
      }
      #expect(offers.count == expected.count, "\(shell)")
    }
  }

  @Test("The completions are those of the current commands: `make completions` writes them")
  func freshness() async throws {
    let folder = try TemporaryFolder()
    let generate = ChildProcess(Product.source("completions/generate"), [Product.executable("acct"), folder.path])
    let written = try await generate.run()
    try #require(written.status == 0, "\(written.errorText)")
    for name in ["acct.bash", "_acct", "acct.fish"] {
      let difference = try await ChildProcess(
        "diff",
        ["-u", Product.source("completions/\(name)"), "\(folder.path)/\(name)"]
      ).run()
      #expect(
        difference.status == 0,
        "completions/\(name) is stale; `make completions` writes it anew: \(difference.text)"
      )
    }
  }
}
