package import AcctModel
import Secrets
import StrictJSON

/// The credential plugins of Kubernetes clients, which speak `ExecCredential` of the group
/// `client.authentication.k8s.io`.
///
/// The question is in a variable of the environment. Clients that set none know only version v1beta1.
package struct ExecCredential: HelperProtocol {
  package let task: HelperTask
  package let wantsIDToken: Bool
  private let version: Version

  /// The answer must be of the version of the question.
  private enum Version: String {
    case v1 = "client.authentication.k8s.io/v1"
    case v1beta1 = "client.authentication.k8s.io/v1beta1"
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    wantsIDToken = question.operation == ["--id"]
    guard wantsIDToken || question.operation.isEmpty else { throw .arguments }
    guard let info = question.variable("KUBERNETES_EXEC_INFO") else {
      (version, task) = (.v1beta1, .get(HelperTarget()))
      return
    }
    let request = try HelperMembers(Secret(info))
    guard try request.text("kind") == "ExecCredential" else { throw .value("kind") }
    guard let version = Version(rawValue: try request.text("apiVersion")) else { throw .value("apiVersion") }
    self.version = version
    guard let cluster = try request.members("spec")?.members("cluster") else {
      task = .get(HelperTarget())
      return
    }
    let server = try cluster.text("server")
    let isVerified = try !cluster.flag("insecure-skip-tls-verify")
    do {
      let url = try HTTPURL(server)
      // Any server that answers there would get the token, as over plain http.
      task = isVerified || url.origin.isLoopback ? .get(HelperTarget(url)) : .unverified
    } catch { task = .unusable(error) }
  }

  /// The clients write `Bearer` before the token themselves.
  ///
  /// A key that tokens are bound to does not bind an ID token.
  package func accepts(_ form: CredentialForm) -> Bool { wantsIDToken && form == .bound || form.isBearer }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    let end = credential.expiresAt.map { #""expirationTimestamp":"\#($0)","# } ?? ""
    let start = """
      {"apiVersion":"\(version.rawValue)","kind":"ExecCredential","status":{\(end)"token":
      """
    let token = try OutputFormat.json.written(credential.token)
    return HelperAnswer(Secret(joining: [Secret(start), token, Secret("}}\n")]))
  }
}
