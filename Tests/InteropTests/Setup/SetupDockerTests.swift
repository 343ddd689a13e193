import AcctTestSupport
import Testing

@Suite("docker's settings, set up by acct and used by podman")
struct SetupDockerTests {
  @Test("podman logs in through acct after the setup, and the undoing restores docker's file byte for byte")
  func podman() async throws {
    let registry = try await Registry()
    let setup = try await SetupHome()
    let before = "{\n   \"auths\":{\"other.example\":{\"auth\":\"bWFkZTp1cA==\"}},\n   \"detachKeys\" : \"ctrl-e,e\"\n}"
    try await setup.write(before, to: ".docker/config.json")
    try await setup.setUp("docker", "--host", registry.host)
    let file = "\(setup.folder.path)/.docker/config.json"
    let login = ["login", "--authfile", file, "--tls-verify=false", "--username", Registry.user, "--password-stdin"]
    let loggedIn = try await setup.run("podman", login + [registry.host], input: Registry.password)
    #expect(loggedIn.status == 0, "\(loggedIn.errorText)")
    #expect(try await setup.home.accounts() == 1)
    #expect(try await setup.text(".docker/config.json")?.contains(Registry.user) == false)
    await registry.stop()
  }

  @Test("Undoing restores a file that nothing has written byte for byte, and takes out acct alone after podman has")
  func undoing() async throws {
    let registry = try await Registry()
    let setup = try await SetupHome()
    let before = "{\n   \"auths\":{\"other.example\":{\"auth\":\"bWFkZTp1cA==\"}},\n   \"detachKeys\" : \"ctrl-e,e\"\n}"
    try await setup.write(before, to: ".docker/config.json")
    try await setup.setUp("docker")
    #expect(try await setup.text(".docker/config.json")?.contains("\"credsStore\" : \"acct\"") == true)
    try await setup.setUp("docker", "--undo")
    #expect(try await setup.text(".docker/config.json") == before)

    try await setup.setUp("docker", "--host", "kept.example")
    let file = "\(setup.folder.path)/.docker/config.json"
    let login = ["login", "--authfile", file, "--tls-verify=false", "--username", Registry.user, "--password-stdin"]
    let loggedIn = try await setup.run("podman", login + [registry.host], input: Registry.password)
    try #require(loggedIn.status == 0, "\(loggedIn.errorText)")
    let written = try #require(try await setup.text(".docker/config.json"))
    #expect(written.contains("kept.example") && written.contains(registry.host), "\(written)")
    try await setup.setUp("docker", "--undo")
    let after = try #require(try await setup.text(".docker/config.json"))
    #expect(!after.contains("kept.example") && !after.contains("acct"), "\(after)")
    #expect(after.contains(registry.host) && after.contains("other.example"), "\(after)")
    await registry.stop()
  }
}
