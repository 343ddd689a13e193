import AcctTestSupport
import Testing

@Suite("skopeo and podman with acct as their credential helper, at a registry of Docker's")
struct ContainerHelperTests {
  @Test("A login makes a static account that copies and inspects; a logout removes it")
  func login() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    #expect(try await registry.inspect(home).status != 0)

    let loggedIn = try await registry.skopeo(
      home,
      "login",
      "--tls-verify=false",
      "--username",
      Registry.user,
      "--password-stdin",
      registry.host,
      input: "\(Registry.password)\n"
    )
    try #require(loggedIn.status == 0, "\(loggedIn.errorText)")
    #expect(try await home.accounts() == 1)
    let user = try await registry.skopeo(home, "login", "--get-login", registry.host)
    #expect(user.text == "\(Registry.user)\n", "\(user.errorText)")

    let pushed = try await registry.push(home)
    #expect(pushed.status == 0, "\(pushed.errorText)")
    let inspected = try await registry.inspect(home)
    #expect(inspected.status == 0, "\(inspected.errorText)")
    #expect(inspected.text.contains(#""Name": "\#(registry.host)/notes""#))

    let loggedOut = try await registry.skopeo(home, "logout", registry.host)
    #expect(loggedOut.status == 0, "\(loggedOut.errorText)")
    #expect(try await home.accounts() == 0)
    let refused = try await registry.inspect(home)
    #expect(refused.status != 0)
    #expect(refused.errorText.contains("unauthorized"), "\(refused.errorText)")
    await registry.stop()
  }

  @Test("A password that the registry does not take makes no account")
  func wrongPassword() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    let loggedIn = try await registry.skopeo(
      home,
      "login",
      "--tls-verify=false",
      "--username",
      Registry.user,
      "--password-stdin",
      registry.host,
      input: "another\n"
    )
    #expect(loggedIn.status != 0)
    #expect(try await home.accounts() == 0)
    await registry.stop()
  }

  @Test("A password with a blank and an umlaut is stored by a login, and copies")
  func anyPassword() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    let loggedIn = try await registry.skopeo(
      home,
      "login",
      "--tls-verify=false",
      "--username",
      Registry.otherUser,
      "--password-stdin",
      registry.host,
      input: "\(Registry.otherPassword)\n"
    )
    try #require(loggedIn.status == 0, "\(loggedIn.errorText)")
    let pushed = try await registry.push(home)
    #expect(pushed.status == 0, "\(pushed.errorText)")
    let inspected = try await registry.inspect(home)
    #expect(inspected.status == 0, "\(inspected.errorText)")
    await registry.stop()
  }

  @Test("A login of podman's is the only password that it lists, and its logout removes that one")
  func podman() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    try await home.addPassword("cloud", of: "alice", at: "https://cloud.example", "made-up")
    let loggedIn = try await registry.podman(
      home,
      "login",
      "--tls-verify=false",
      "--username",
      Registry.otherUser,
      "--password-stdin",
      registry.host,
      input: "\(Registry.otherPassword)\n"
    )
    try #require(loggedIn.status == 0, "\(loggedIn.errorText)")
    let user = try await registry.podman(home, "login", "--get-login", registry.host)
    #expect(user.text == "\(Registry.otherUser)\n", "\(user.errorText)")
    let listed = try await home.program("docker-credential-acct", ["list"]).run()
    #expect(listed.text == #"{"\#(registry.host)":"\#(Registry.otherUser)"}"# + "\n")
    let other = try await home.program("docker-credential-acct", ["get"], input: "cloud.example").run()
    // Its only origin: a registry there would want just this password.
    #expect(other.status == 0, "\(other.errorText)")
    // skopeo reads what podman stored.
    let pushed = try await registry.push(home)
    #expect(pushed.status == 0, "\(pushed.errorText)")
    let loggedOut = try await registry.podman(home, "logout", registry.host)
    #expect(loggedOut.status == 0, "\(loggedOut.errorText)")
    #expect(try await home.accounts() == 1)
    await registry.stop()
  }

  @Test("An account that was added by hand is used without a login")
  func added() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    try await home.addPassword("registry", of: Registry.user, at: registry.origin, Registry.password)
    let pushed = try await registry.push(home)
    #expect(pushed.status == 0, "\(pushed.errorText)")
    #expect(try await registry.inspect(home).status == 0)
    await registry.stop()
  }

  @Test("A logout without a login fails nothing, and leaves the other accounts as they are")
  func logoutAlone() async throws {
    let registry = try await Registry()
    let home = try AcctHome.withHelpers()
    try await home.addPassword("other", of: "alice", at: "https://other.example", "made-up")
    let loggedOut = try await registry.skopeo(home, "logout", registry.host)
    #expect(loggedOut.status == 0, "\(loggedOut.errorText)")
    #expect(try await home.accounts() == 1)
    await registry.stop()
  }
}
