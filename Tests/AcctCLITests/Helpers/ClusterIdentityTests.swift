import AcctModel
import AcctPorts
import AcctPrograms
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// ID tokens for clusters: `acct helper kubectl --id` and `acct add --send id-token`.
@Suite("The identity for a cluster")
struct ClusterIdentityTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }
  /// The kept ID token.
  private var kept: String? { record.keyring.items.values.first?[.idToken].map(RowServer.text) }
  private static let cluster = "https://cluster.example"

  private func signIn(_ options: String...) async {
    #expect(await server.add(options) == 0, "\(record.err)")
  }

  /// Asks as kubectl does, with or without the cluster's server.
  private func ask(_ words: String..., at cluster: String? = cluster, version: String = "v1") async -> Int32 {
    let spec = cluster.map { #","cluster":{"server":"\#($0)"}"# } ?? ""
    record.set(
      "KUBERNETES_EXEC_INFO",
      to: #"""
        {"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential",
         "spec":{"interactive":false\#(spec)}}
        """#
    )
    record.clear()
    return await record.run(["helper", "kubectl"] + words)
  }

  @Test("kubectl gets the ID token and its end, in the version that it asks for", arguments: ["v1", "v1beta1"])
  func answer(version: String) async {
    await signIn("--allow-origin", Self.cluster)
    #expect(await ask("--id", version: version) == 0, "\(record.err)")
    let answer = record.json?.objectValue
    #expect(answer?["apiVersion"] == .string("client.authentication.k8s.io/\(version)"))
    #expect(answer?["status"]?.objectValue?["token"]?.stringValue == kept)
    #expect(answer?["status"]?.objectValue?["expirationTimestamp"] == "2027-01-15T09:00:00Z")
    #expect(record.err.isEmpty)
    // Without the option it is the access token.
    #expect(await ask() == 0, "\(record.err)")
    #expect(record.json?.objectValue?["status"]?.objectValue?["token"] == "at-1-long-enough")
  }

  @Test("A cluster that is no origin of the account gets no ID token, also if the account is named")
  func foreign() async {
    await signIn("--allow-origin", Self.cluster)
    #expect(await ask("--id", at: "https://evil.example") == 1)
    #expect(record.out.isEmpty)
    #expect(await ask("--id", "--account", "alice@as.example", at: "https://evil.example") == 1)
    #expect(record.out.isEmpty)
  }

  @Test("Without the cluster's server there is none, and the hint names provideClusterInfo")
  func unnamed() async {
    await signIn("--allow-origin", Self.cluster)
    #expect(await ask("--id", "--account", "alice@as.example", at: nil) == 1)
    #expect(record.out.isEmpty)
    #expect(record.err.last?.contains("provideClusterInfo: true") == true, "\(record.err)")
    #expect(await ask("--id", "more") == 64)
  }

  @Test("A due ID token is renewed for kubectl")
  func due() async {
    await signIn("--allow-origin", Self.cluster)
    record.now += 3400
    server.set { $0.claims?["exp"] = 1_800_010_000 }
    #expect(await ask("--id") == 0, "\(record.err)")
    #expect(record.json?.objectValue?["status"]?.objectValue?["expirationTimestamp"] == "2027-01-15T10:46:40Z")
  }

  @Test("With --send id-token a resource server gets the ID token, and the server that issued it the access token")
  func sent() async {
    await signIn("--allow-origin", Self.cluster, "--send", "id-token")
    #expect(await record.acct("header", "\(Self.cluster)/api") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer \(kept ?? "none")\n")
    #expect(await record.acct("header", "https://as.example/me") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "at-1-long-enough\n")
    #expect(await record.acct("header", "https://evil.example/api") == 8)
    // The account keeps it over a new sign-in by name.
    #expect(record.accountFile?["signIn"]?.objectValue?["send"] == "id-token")
  }

  @Test("With --send id-token a 401 renews, and the request is sent again with the new ID token")
  func rejected() async {
    await signIn("--allow-origin", Self.cluster, "--send", "id-token")
    let old = kept ?? "none"
    server.set { $0.claims?["exp"] = 1_800_010_000 }
    record.serve { [server] request throws(HTTPFailure) in
      guard request.url.origin.description == Self.cluster else { return server.answer(request) }
      let field = request.fields.first { $0.name.lowercased() == "authorization" }
      return field.map { RowServer.text($0.value) } == "Bearer \(old)" ? .json("{}", 401) : .json("{}")
    }
    record.now += 100
    #expect(await record.acct("request", "\(Self.cluster)/api") == 0, "\(record.err)")
    #expect(kept != old)
    let sent = record.requests.filter { $0.url.origin.description == Self.cluster }.map { request in
      request.fields.first { $0.name.lowercased() == "authorization" }.map { RowServer.text($0.value) }
    }
    #expect(sent == ["Bearer \(old)", "Bearer \(kept ?? "none")"])
  }

  @Test("Without --send no header carries the ID token")
  func unsent() async {
    await signIn("--allow-origin", Self.cluster)
    #expect(await record.acct("header", "\(Self.cluster)/api") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
  }

  @Test(
    "--send id-token needs openid, a person and a server",
    arguments: [
      ["--issuer", "https://as.example", "--scope", "profile", "--client-id", "c"],
      ["--issuer", "https://as.example", "--client-id", "c", "--grant", "client-credentials"],
      ["--guest", "https://as.example"], ["--import", "file"],
    ]
  )
  func usage(options: [String]) async {
    #expect(await record.run(["add", "--send", "id-token"] + options) == 64, "\(record.err)")
  }
}
