import AcctTestSupport
import StrictJSON
import Testing

/// Programs with a tool of their own for their settings, as PyPI has them.
@Suite("kubectl, go, pip and cargo, set up by acct")
struct SetupToolTests {
  /// The programs of `.ci/requirements-programs.txt` come first.
  private func home() async throws -> SetupHome { try await SetupHome() }

  private func path(_ setup: SetupHome) -> [String: String] {
    ["PATH": "\(setup.home.commands):\(Product.source(".build/venv/bin")):/usr/bin:/bin"]
  }

  private func run(_ setup: SetupHome, _ line: String...) async throws -> ChildProcess.Output {
    let path = path(setup)["PATH"] ?? ""
    return try await setup.run("env", ["PATH=\(path)"] + line)
  }

  /// Runs `acct helper setup`, which must work.
  @discardableResult
  private func setUp(_ setup: SetupHome, _ arguments: String...) async throws -> String {
    let path = path(setup)["PATH"] ?? ""
    let output = try await setup.run("env", ["PATH=\(path)", "acct", "helper", "setup"] + arguments)
    #expect(output.status == 0, "\(output.errorText)")
    return output.errorText
  }

  private static let kubeconfig = """
    # mine
    apiVersion: v1
    kind: Config
    clusters:
      - {name: dev, cluster: {server: "https://k8s.example:6443", certificate-authority: ca.crt}}
      - {name: other, cluster: {server: "https://other.example"}}
    contexts:
      - {name: dev, context: {cluster: dev, user: alice}}
      - {name: other, context: {cluster: other, user: alice}}
    current-context: dev
    users:
      - name: alice
        user: {token: "made-up-token-of-the-cluster"}

    """

  @Test("kubectl's current context, or that of a host, gets a user that asks acct, and its old one back byte for byte")
  func kubectl() async throws {
    let setup = try await home()
    try await setup.write(Self.kubeconfig, to: ".kube/config")
    let said = try await setUp(setup, "kubectl", "--yes")
    #expect(said.contains("contexts.dev.user = acct (replaces alice)"), "\(said)")
    let view = try await run(setup, "kubectl", "config", "view", "-o", "json")
    #expect(view.text.contains("\"provideClusterInfo\": true"), "\(view.text)")
    let kept = try await setup.text(".kube/config")
    #expect(kept?.contains("certificate-authority: ca.crt") == true)
    // The token is in kubectl's file alone.
    let records = try await ChildProcess("grep", ["-r", "made-up-token", setup.home.path]).run()
    #expect(records.status == 1)
    #expect(try await setUp(setup, "kubectl") == "acct: kubectl already asks acct; nothing was changed\n")
    try await setUp(setup, "kubectl", "--host", "other.example", "--yes")
    try await setUp(setup, "kubectl", "--undo")
    #expect(try await setup.text(".kube/config") == Self.kubeconfig)
  }

  @Test("Only the user of acct goes from a kubeconfig that kubectl has written since")
  func kubectlSince() async throws {
    let setup = try await home()
    try await setup.write(Self.kubeconfig, to: ".kube/config")
    try await setUp(setup, "kubectl", "--yes")
    try #require(try await run(setup, "kubectl", "config", "use-context", "other").status == 0)
    try await setUp(setup, "kubectl", "--undo")
    let after = try #require(try await setup.text(".kube/config"))
    #expect(!after.contains("acct"), "\(after)")
    #expect(after.contains("current-context: other") && after.contains("made-up-token-of-the-cluster"))
    let user = try await run(setup, "kubectl", "config", "view", "-o", "jsonpath={.contexts[*].context.user}")
    #expect(user.text == "alice alice")
    let none = try await setup.run(
      "acct",
      ["helper", "setup", "kubectl", "--host", "nowhere.example"],
      with: path(setup)
    )
    #expect(none.status == 1)
  }

  @Test("go asks acct behind its other ways, and has its own file back byte for byte")
  func go() async throws {
    let setup = try await home()
    let before = "# mine\nGOPROXY=direct\n"
    try await setup.write(before, to: ".config/go/env")
    let said = try await setUp(setup, "go")
    #expect(said.contains("GOAUTH = netrc;acct helper go"), "\(said)")
    #expect(try await run(setup, "go", "env", "GOAUTH").text == "netrc;acct helper go\n")
    #expect(try await setUp(setup, "go") == "acct: go already asks acct; nothing was changed\n")
    try await setUp(setup, "go", "--undo")
    #expect(try await setup.text(".config/go/env") == before)
    try await setUp(setup, "go")
    try #require(try await run(setup, "go", "env", "-w", "GOFLAGS=-mod=mod").status == 0)
    try await setUp(setup, "go", "--undo")
    #expect(try await run(setup, "go", "env", "GOAUTH", "GOFLAGS").text == "netrc\n-mod=mod\n")
  }

  @Test("pip asks acct through a script keyring, and both are as before after the undoing")
  func pip() async throws {
    let setup = try await home()
    let before = "[global]\n# mine\nindex-url=https://alice:made-up@index.example/simple\n"
    try await setup.write(before, to: ".config/pip/pip.conf")
    // Without the folders of the system, which may have a keyring of Debian's; acct asks pip through env.
    _ = try await ChildProcess("ln", ["-s", "/usr/bin/env", "\(setup.home.commands)/env"]).run()
    let tools = "\(setup.home.commands):\(Product.source(".build/venv/bin"))"
    let missing = try await setup.run("env", ["PATH=\(tools)", "acct", "helper", "setup", "pip"])
    #expect(missing.status == 1)
    #expect(missing.errorText.contains("is not on PATH"), "\(missing.errorText)")
    let path = "\(setup.folder.path)/.local/bin:\(tools)"
    func acct(_ words: String...) async throws -> ChildProcess.Output {
      try await setup.run("env", ["PATH=\(path)", "acct", "helper", "setup", "pip"] + words)
    }
    let done = try await acct("--yes")
    #expect(done.status == 0, "\(done.errorText)")
    #expect(done.errorText.contains(".local/bin/keyring: a new script that runs `acct helper keyring`"))
    let value = try await setup.run("env", ["PATH=\(path)", "pip", "config", "get", "global.keyring-provider"])
    #expect(value.text == "subprocess\n")
    try await setup.home.addPassword("index", of: "alice", at: "https://index.example", "made-up-password")
    let password = try await setup.run(
      "env",
      ["PATH=\(path)", "keyring", "get", "https://index.example/simple/", "alice"]
    )
    #expect(password.text == "made-up-password\n", "\(password.errorText)")
    #expect(try await acct().errorText == "acct: pip already asks acct; nothing was changed\n")
    let undone = try await acct("--undo")
    #expect(undone.status == 0, "\(undone.errorText)")
    #expect(try await setup.text(".config/pip/pip.conf") == before)
    #expect(try await ChildProcess("test", ["-e", "\(setup.folder.path)/.local"]).run().status == 1)
  }

  @Test("cargo fetches with the token of an account after the setup for its registry, and not after the undoing")
  func cargo() async throws {
    let setup = try await home()
    let registry = try await PythonServer("Recipes/cargo_registry.py", [try setup.folder.folder("registry")])
    let index = try registry.address("index")
    let before =
      "net = {git-fetch-with-cli = true, retry = 0}\n[registries.notes] # mine\nindex = \"sparse+\(index)/sparse/\"\n"
    try await setup.write(before, to: ".cargo/config.toml")
    try await setup.write("", to: "clone/src/lib.rs")
    try await setup.write(
      "package = {name = \"clone\", version = \"0.1.0\", edition = \"2021\"}\n"
        + "dependencies = {notes = {version = \"1\", registry = \"notes\"}}\n",
      to: "clone/Cargo.toml"
    )
    try await setup.home.addBearer("work", at: index, token: "made-up-token-for-cargo")
    func fetch() async throws -> ChildProcess.Output {
      let folder = setup.folder.path
      return try await setup.run(
        "env",
        ["-C", "\(folder)/clone", "CARGO_HOME=\(folder)/.cargo", "ACCT_ACCOUNT=work", "cargo", "--quiet", "fetch"]
      )
    }
    #expect(try await fetch().status == 101)
    for host in [[], ["--host", index]] {
      let done = try await setup.run("acct", ["helper", "setup", "cargo"] + host)
      #expect(done.status == 0, "\(done.errorText)")
      let fetched = try await fetch()
      #expect(fetched.status == 0, "\(fetched.errorText)")
      try #require(try await ChildProcess("rm", ["-r", "\(setup.folder.path)/.cargo/registry"]).run().status == 0)
      try await setup.setUp("cargo", "--undo")
      #expect(try await setup.text(".cargo/config.toml") == before)
    }
    #expect(try await fetch().status == 101)
  }
}
