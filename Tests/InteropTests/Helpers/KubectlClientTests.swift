import AcctTestSupport
import StrictJSON
import Testing

/// The real kubectl, with a server of the tests' own.
@Suite("kubectl with an ID token from acct")
struct KubectlClientTests {
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  private struct Scene {
    let home: AcctHome
    let folder: TemporaryFolder
    let server: PythonServer
    let address: String
    let authority: MadeUpAuthority
  }

  private func scene() async throws -> Scene {
    let home = try AcctHome.withHelpers()
    let authority = try await MadeUpAuthority()
    let own = try await authority.issue("server")
    let folder = try TemporaryFolder()
    let token = try folder.file("token", containing: Self.idToken)
    let server = try await PythonServer("Recipes/kube_server.py", [own.certificate, own.key, token])
    let address = try server.address("server")
    let added = try await home.importing(
      """
      {"access_token":"made-up-access-token","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(Self.idToken)",
       "origins":["\(address)"]}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    return Scene(home: home, folder: folder, server: server, address: address, authority: authority)
  }

  /// Reads an address of a cluster with kubectl, whose user asks acct.
  private func get(_ scene: Scene, _ words: String, namesCluster: Bool = true) async throws -> ChildProcess.Output {
    let config = try scene.folder.file(
      "kubeconfig",
      containing: """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "\(scene.address)", certificate-authority: "\(scene.authority.certificate)"}}]
        contexts: [{name: c, context: {cluster: c, user: acct}}]
        current-context: c
        users:
        - name: acct
          user:
            exec: {apiVersion: client.authentication.k8s.io/v1, command: acct, args: [helper, kubectl, \(words)],
                   interactiveMode: Never, provideClusterInfo: \(namesCluster)}

        """
    )
    return try await scene.home.program(
      Product.source(".build/venv/bin/kubectl"),
      ["--kubeconfig", config, "get", "--raw", "/readyz"],
      beside: "Examples/programs",
      with: ["HOME": scene.folder.path]
    ).run()
  }

  @Test("kubectl gets the ID token of acct for its cluster, and the cluster takes it")
  func idToken() async throws {
    let scene = try await scene()
    let run = try await get(scene, "--id")
    #expect(run.status == 0 && run.text == "ok", "\(run.errorText)")
    // The access token is another one.
    let other = try await get(scene, "--account, alice.example")
    #expect(other.status != 0 && !other.errorText.contains("made-up-access-token"), "\(other.errorText)")
  }

  @Test("kubectl without the cluster's address gets nothing, and shows why")
  func unnamed() async throws {
    let scene = try await scene()
    let run = try await get(scene, "--id", namesCluster: false)
    #expect(run.status != 0)
    #expect(run.errorText.contains("provideClusterInfo: true"), "\(run.errorText)")
  }

  @Test("A cluster that is no origin of the account gets no token from kubectl")
  func foreign() async throws {
    let scene = try await scene()
    #expect(try await scene.home.acct("allow", "--revoke", "alice.example", scene.address).status == 0)
    let run = try await get(scene, "--id, --account, alice.example")
    #expect(run.status != 0 && run.errorText.contains("acct allow"), "\(run.errorText)")
  }
}
