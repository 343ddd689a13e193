import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

/// `acct exec` with tokens in files.
@Suite("The token files of acct exec")
struct TokenFileTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  private func signIn(life: Int64) async {
    server.set {
      $0.answer["expires_in"] = .number(JSONNumber(life))
      $0.claims?["iat"] = .number(JSONNumber(record.now))
      $0.claims?["exp"] = .number(JSONNumber(record.now + life))
    }
    #expect(await server.add() == 0, "\(record.err)")
  }

  @Test("The command gets the names of files with the ID token and the token, and acct ends as it does")
  func files() async {
    // Time passes quickly here while the command runs.
    await signIn(life: 4_000_000_000)
    let seen = Mutex<[String: String]>([:])
    record.exec.attend { [record] variables in
      for (name, path) in variables { seen.withLock { $0[name] = record.secretFiles[path] } }
      return 42
    }
    #expect(await record.acct("exec", "--id-token-file", "ID", "--token-file", "TOKEN", "--", "x") == 42)
    #expect(seen.withLock { $0["TOKEN"] } == "at-1-long-enough")
    #expect(seen.withLock { $0["ID"] } == record.keyring.items.values.first?[.idToken].map(RowServer.text))
    #expect(record.exec.folder == nil, "the folder is left behind")
    #expect(record.out.isEmpty && record.err.isEmpty, "\(record.err)")
    #expect(record.exec.calls.isEmpty)
  }

  @Test(
    "A file is replaced while at least 10 minutes, or the half of a shorter life, are left",
    arguments: [(3600, 600, false), (3600, 600, true), (400, 200, false), (400, 200, true)] as [(Int64, Int64, Bool)]
  )
  func replaced(life: Int64, least: Int64, isIDToken: Bool) async {
    await signIn(life: life)
    let end = Mutex(record.now + life)
    let left = Mutex<[Int64]>([])
    let contents = Mutex<Set<String>>([])
    record.serve { [record] request throws(HTTPFailure) in
      guard request.url.path == "/token" else {
        return .json(
          #"""
          {"issuer":"https://as.example","token_endpoint":"https://as.example/token",
           "authorization_endpoint":"https://as.example/authorize"}
          """#
        )
      }
      let now = record.now
      if let text = record.secretFiles["/run/made-up/\(isIDToken ? "id-" : "")token"] {
        contents.withLock { _ = $0.insert(text) }
      }
      left.withLock { $0.append(end.withLock { $0 } - now) }
      end.withLock { $0 = now + life }
      let claims = #"{"iss":"https://as.example","aud":"client","sub":"alice","iat":\#(now),"exp":\#(now + life)}"#
      return .json(
        #"""
        {"access_token":"at-\#(now)-long-enough","token_type":"Bearer","expires_in":\#(life),
         "refresh_token":"rt-\#(now)-long-enough","id_token":"\#(idToken(claims))"}
        """#
      )
    }
    record.exec.attend { _ in
      while left.withLock({ $0.count }) < 4 { await Task.yield() }
      return 0
    }
    let option = isIDToken ? "--id-token-file" : "--token-file"
    #expect(await record.acct("exec", option, "FILE", "--", "x") == 0, "\(record.err)")
    for seconds in left.withLock({ $0 }).prefix(4) {
      #expect(seconds >= least && seconds <= least + least / 4, "\(seconds)")
    }
    #expect(contents.withLock { $0.count } >= 4, "each renewal finds the token of the one before")
  }

  @Test("A token that can't be replaced stays in its file, and the reason is told once")
  func failure() async {
    await signIn(life: 3600)
    server.set { $0.client = "another" }
    record.exec.attend { [record, start = record.now] variables in
      while record.now < start + 3400 { await Task.yield() }
      return record.secretFiles[variables["FILE"] ?? ""] == "at-1-long-enough" ? 7 : 1
    }
    #expect(await record.acct("exec", "--token-file", "FILE", "--", "x") == 7)
    #expect(record.err.count == 1, "\(record.err)")
    #expect(record.err.first?.contains("could not be renewed") == true)
  }

  @Test("Without a place in memory the command is not run, no file is written, and the hint names the variable")
  func noMemory() async {
    await signIn(life: 3600)
    record.exec.failFolder(with: MemoryFolderFailure(path: "/run/x", reason: "it is not in memory (tmpfs)"))
    record.exec.attend { _ in 42 }
    #expect(await record.acct("exec", "--token-file", "FILE", "--", "x") == 1)
    let words = "acct: there is no place in memory for a file with a token: /run/x: it is not in memory (tmpfs)"
    #expect(record.err.first == words)
    #expect(record.err.last?.contains("XDG_RUNTIME_DIR") == true)
    #expect(record.secretFiles["/run/made-up/token"] == nil)
  }

  @Test("Removing an account deletes what killed processes have left in memory")
  func removed() async {
    await signIn(life: 3600)
    record.maintenance.left = 1
    #expect(await record.acct("remove", "alice@as.example", "--local") == 0, "\(record.err)")
    #expect(record.maintenance.left == 0)
  }

  @Test(
    "Variables that are none, or one for two files, are usage errors",
    arguments: [
      ["--token-file", "1"], ["--id-token-file", ""], ["--token-file", "A", "--id-token-file", "A"],
      ["--token-file", "A", "--env", "B"], ["--token-file", "A", "--min-valid", "5"],
    ]
  )
  func usage(options: [String]) async {
    #expect(await record.run(["exec"] + options + ["--", "x"]) == 64)
  }
}
