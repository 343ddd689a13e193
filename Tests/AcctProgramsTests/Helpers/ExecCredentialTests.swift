import AcctModel
import AcctPrograms
import AcctProtocol
import Testing

@Suite("The credential plugin of Kubernetes clients")
struct ExecCredentialTests {
  private static let group = "client.authentication.k8s.io"

  private func plugin(_ info: String?) throws(HelperFlaw) -> ExecCredential {
    try ExecCredential(HelperQuestion([]) { name in name == "KUBERNETES_EXEC_INFO" ? info : nil })
  }

  @Test("A client of Kubernetes gets the version that it asks for", arguments: ["v1", "v1beta1"])
  func version(_ version: String) throws {
    let plugin = try plugin(
      #"{"kind":"ExecCredential","apiVersion":"\#(Self.group)/\#(version)","spec":{"interactive":false}}"#
    )
    #expect(plugin.task == .get(HelperTarget()))
    let answer = try plugin.answer(credential())
    #expect(
      output(of: answer)
        == #"{"apiVersion":"\#(Self.group)/\#(version)","kind":"ExecCredential","status":"#
        + #"{"expirationTimestamp":"2027-01-15T09:00:00Z","token":"t0k"}}"# + "\n"
    )
    #expect(answer.isSuccess)
  }

  @Test("A client of Kubernetes that sets no variable gets v1beta1, and no end where none is known")
  func silent() throws {
    let plugin = try plugin(nil)
    #expect(plugin.task == .get(HelperTarget()))
    #expect(
      output(of: try plugin.answer(credential(token: #"a"b\c"#, until: nil)))
        == #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","#
        + #""status":{"token":"a\"b\\c"}}"# + "\n"
    )
  }

  @Test("A kubeconfig with provideClusterInfo tells where the credential is to go")
  func cluster() throws {
    let plugin = try plugin(
      #"""
      {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":
      {"server":"https://K8s.example:6443/c/1","certificate-authority-data":"QUJD",
      "config":{"audience":"a"}},"interactive":true},"later":1}
      """#
    )
    #expect(plugin.task == .get(HelperTarget(try HTTPURL("https://k8s.example:6443/c/1"))))
  }

  @Test(
    "A cluster at an address that no credential may go to gets none",
    arguments: ["http://k8s.example", "https://a@k8s.example", "https://k8s.exаmple", "k8s.example:6443"]
  )
  func refused(_ server: String) throws {
    let plugin = try plugin(
      #"{"kind":"ExecCredential","apiVersion":"\#(Self.group)/v1","spec":{"cluster":{"server":"\#(server)"}}}"#
    )
    guard case .unusable = plugin.task else {
      Issue.record("\(plugin.task)")
      return
    }
  }

  @Test("A cluster whose certificate is not verified gets no token, except on this machine")
  func unverified() throws {
    func task(_ server: String, _ flag: String) throws -> HelperTask {
      let cluster = #"{"server":"\#(server)","insecure-skip-tls-verify":\#(flag)}"#
      return try plugin(
        #"{"kind":"ExecCredential","apiVersion":"\#(Self.group)/v1","spec":{"cluster":\#(cluster)}}"#
      ).task
    }
    #expect(try task("https://k8s.example", "true") == .unverified)
    for (server, flag) in [
      ("https://k8s.example", "false"), ("https://k8s.example", "null"), ("https://127.0.0.1:6443", "true"),
    ] {
      #expect(try task(server, flag) == .get(HelperTarget(try HTTPURL(server))), "\(server)")
    }
    #expect(throws: HelperFlaw.value("insecure-skip-tls-verify")) { try task("https://k8s.example", #""true""#) }
  }

  @Test("A client of Kubernetes gets nothing but a bearer token")
  func forms() throws {
    let plugin = try plugin(nil)
    for scheme in ["Bearer", "bearer"] { #expect(plugin.accepts(.scheme(scheme)), "\(scheme)") }
    let others: [CredentialForm] = [
      .scheme("Token"), .basic(user: "a"), .bare(field: "X-Key"), .guest, .cookie, .bound,
    ]
    for form in others { #expect(!plugin.accepts(form), "\(form)") }
    #expect(plugin.none == HelperAnswer(isSuccess: false))
  }

  @Test(
    "What is no ExecCredential of a known version is rejected",
    arguments: [
      ("{", HelperFlaw.notJSON), ("[]", .notJSON), ("\u{0}", .notJSON),
      (#"{"apiVersion":"\#(group)/v1"}"#, .missing("kind")),
      (#"{"kind":"Pod","apiVersion":"\#(group)/v1"}"#, .value("kind")),
      (#"{"kind":"ExecCredential"}"#, .missing("apiVersion")),
      (#"{"kind":"ExecCredential","apiVersion":"\#(group)/v1alpha1"}"#, .value("apiVersion")),
      (#"{"kind":"ExecCredential","apiVersion":"\#(group)/v1","spec":[]}"#, .value("spec")),
      (
        #"{"kind":"ExecCredential","apiVersion":"\#(group)/v1","spec":{"cluster":1}}"#,
        .value("cluster")
      ),
      (
        #"{"kind":"ExecCredential","apiVersion":"\#(group)/v1","spec":{"cluster":{}}}"#,
        .missing("server")
      ),
      (#"{"kind":"ExecCredential","kind":"ExecCredential"}"#, .repeated("kind")),
    ]
  )
  func flaw(_ info: String, _ flaw: HelperFlaw) {
    #expect(throws: flaw) { try plugin(info) }
  }

  @Test("A word behind kubectl on the command line is too much")
  func words() {
    #expect(throws: HelperFlaw.arguments) { try ExecCredential(HelperQuestion(["get"])) }
    #expect(ExecCredential.exchange(for: []) == .silent)
  }
}
