import LiveSystem
import PrivateFiles
import Testing

@Suite("The folders of acct")
struct FoldersTests {
  private func paths(_ environment: [String: String]) -> [String] {
    let folders = Folders { environment[$0] }
    return [folders.data.path, folders.state.path, folders.run.path]
  }

  @Test("The folders of acct are in the places of XDG")
  func xdg() throws {
    let runtime = try ScratchFolder()
    #expect(
      paths([
        "HOME": "/home/a", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": runtime.path,
      ]) == ["/d/acct", "/s/acct", "\(runtime.path)/acct"]
    )
  }

  @Test("The folders of acct are below the home if XDG's variables are missing or relative")
  func defaults() {
    let expected = ["/home/a/.local/share/acct", "/home/a/.local/state/acct", "/home/a/.local/state/acct"]
    #expect(paths(["HOME": "/home/a"]) == expected)
    #expect(
      paths(["HOME": "/home/a", "XDG_DATA_HOME": "d", "XDG_STATE_HOME": "./s", "XDG_RUNTIME_DIR": "r"]) == expected
    )
  }

  @Test("The folders of acct are below the user database's home if the environment has none")
  func noHome() {
    for environment in [[:], ["HOME": "relative"]] {
      for path in paths(environment) {
        #expect(path.hasPrefix("/") && path.hasSuffix("/acct") && !path.contains("relative"))
      }
    }
  }

  @Test("The runtime folder is the state's if XDG's is missing or not private")
  func unusableRuntime() throws {
    let scratch = try ScratchFolder()
    try scratch.makeFolder("open", mode: 0o777)
    for path in [scratch.path(of: "open"), scratch.path(of: "missing")] {
      #expect(
        paths(["XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": path]).last == "/s/acct"
      )
    }
  }

  @Test("The folders of acct are all below ACCT_HOME if that is set")
  func home() {
    #expect(
      paths(["ACCT_HOME": "/x/", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r"]) == ["/x/data", "/x/state", "/x/run"]
    )
    #expect(Folders { $0 == "ACCT_HOME" ? "/x" : nil }.vault.path == "/x/data/vault")
  }

  @Test("A relative ACCT_HOME is resolved from the working directory")
  func relativeHome() {
    let path = paths(["ACCT_HOME": "here"])[0]
    #expect(path.hasPrefix("/") && path.hasSuffix("/here/data"))
  }

  @Test("The folders of acct, ACCT_HOME too, have mode 0700 once something is written")
  func modes() throws {
    let scratch = try ScratchFolder()
    let folders = Folders { $0 == "ACCT_HOME" ? scratch.path(of: "x") : nil }
    try folders.vault.replace("a", [1].span)
    for name in ["x", "x/data", "x/data/vault"] { #expect(scratch.mode(of: name) == 0o700) }
  }
}
