import LiveSystem
import PrivateFiles
import Testing

@Suite("acct's folders")
struct FoldersTests {
  private func paths(_ environment: [String: String]) -> [String] {
    let folders = Folders { environment[$0] }
    return [folders.data.path, folders.state.path, folders.run.path]
  }

  @Test("lie where XDG says")
  func xdg() throws {
    let runtime = try ScratchFolder()
    #expect(
      paths([
        "HOME": "/home/a", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": runtime.path,
      ]) == ["/d/acct", "/s/acct", "\(runtime.path)/acct"]
    )
  }

  @Test("lie below the home where XDG says nothing, or something relative")
  func defaults() {
    let expected = [
      "/home/a/.local/share/acct", "/home/a/.local/state/acct", "/home/a/.local/state/acct",
    ]
    #expect(paths(["HOME": "/home/a"]) == expected)
    #expect(
      paths([
        "HOME": "/home/a", "XDG_DATA_HOME": "d", "XDG_STATE_HOME": "./s", "XDG_RUNTIME_DIR": "r",
      ]) == expected
    )
  }

  @Test("lie below the home of the user database where the environment names none")
  func noHome() {
    for environment in [[:], ["HOME": "relative"]] {
      for path in paths(environment) {
        #expect(path.hasPrefix("/") && path.hasSuffix("/acct") && !path.contains("relative"))
      }
    }
  }

  @Test("of the run time are the state's where the runtime folder is missing or not private")
  func unusableRuntime() throws {
    let scratch = try ScratchFolder()
    try scratch.makeFolder("open", mode: 0o777)
    for path in [scratch.path(of: "open"), scratch.path(of: "missing")] {
      #expect(
        paths(["XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": path]).last == "/s/acct"
      )
    }
  }

  @Test("all lie below ACCT_HOME if that is set")
  func home() {
    #expect(
      paths(["ACCT_HOME": "/x/", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r"])
        == ["/x/data", "/x/state", "/x/run"]
    )
    #expect(Folders { $0 == "ACCT_HOME" ? "/x" : nil }.vault.path == "/x/data/vault")
  }

  @Test("below a relative ACCT_HOME are found from the working directory")
  func relativeHome() {
    let path = paths(["ACCT_HOME": "here"])[0]
    #expect(path.hasPrefix("/") && path.hasSuffix("/here/data"))
  }

  @Test("are all 0700, ACCT_HOME too, once something is written")
  func modes() throws {
    let scratch = try ScratchFolder()
    let folders = Folders { $0 == "ACCT_HOME" ? scratch.path(of: "x") : nil }
    try folders.vault.replace("a", [1].span)
    for name in ["x", "x/data", "x/data/vault"] { #expect(scratch.mode(of: name) == 0o700) }
  }
}
