package import AcctEngine
package import AcctModel
import AcctProtocol
import Release
package import Secrets
import Text

/// The `credential_process` of AWS's libraries and command line.
///
/// The question is on the command line, with options of the protocol's own.
/// <https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html>
package struct AWSCredentialProcess: HelperProtocol {
  package let task: HelperTask

  package static let endsWithStatus = true

  /// The options of its command line.
  package static let optionNames = ["--role-arn", "--region", "--session-name", "--duration", "--access"]

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    let options = try Self.options(question.operation)
    guard let role = options["--role-arn"] else { throw .option("--role-arn", .missing) }
    guard RoleRequest.isRole(role) else { throw .option("--role-arn", .value) }
    let session = options["--session-name"] ?? "acct"
    guard RoleRequest.isSession(session) else { throw .option("--session-name", .value) }
    var duration: Int?
    if let text = options["--duration"] {
      guard text.utf8.allSatisfy(\.isASCIIDigit), let seconds = Int(text),
        (900...43_200).contains(seconds)
      else { throw .option("--duration", .value) }
      duration = seconds
    }
    let region = options["--region"] ?? question.variable("AWS_REGION") ?? question.variable("AWS_DEFAULT_REGION")
    // A token may be sent to this machine by a variable, and to no other.
    let local = question.variable("AWS_ENDPOINT_URL_STS").flatMap { try? HTTPURL($0) }
    guard let endpoint = local.flatMap({ $0.origin.isLoopback ? $0 : nil }) ?? RoleRequest.endpoint(region) else {
      throw .option("--region", .value)
    }
    task = .assume(
      RoleRequest(
        role: role,
        session: session,
        duration: duration,
        endpoint: endpoint,
        sendsAccessToken: options["--access"] != nil
      )
    )
  }

  /// The options, each with its value; `--access` has none.
  private static func options(_ words: [String]) throws(HelperFlaw) -> [String: String] {
    var options: [String: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard optionNames.contains(name) else {
        throw name.hasPrefix("-") ? .option(name, .unknown) : .arguments
      }
      guard options[name] == nil else { throw .option(name, .repeated) }
      var value: String?
      if name == "--access" {
        guard parts.count == 1 else { throw .option(name, .value) }
        value = ""
      } else {
        value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
      }
      guard let value, name == "--access" || !value.isEmpty else { throw .option(name, .missing) }
      options[name] = value
    }
    return options
  }

  /// The token itself is sent, whatever its own form in a header line is, but for one that is bound to a key.
  package func accepts(_ form: CredentialForm) -> Bool {
    guard case .assume(let request) = task, request.sendsAccessToken else { return true }
    return form.isBearer
  }

  package func answer(_ credential: HelperCredential) -> HelperAnswer { none }
}

extension RoleKeys {
  /// The answer to a `credential_process`, version 1.
  ///
  /// - Throws: ``OutputFlaw``.
  package func answer() throws(OutputFlaw) -> Secret {
    Secret(joining: [
      Secret(#"{"Version":1,"AccessKeyId":"#), try OutputFormat.json.written(id.opened(for: .roleKey)),
      Secret(#","SecretAccessKey":"#), try OutputFormat.json.written(secret.opened(for: .roleKey)),
      Secret(#","SessionToken":"#), try OutputFormat.json.written(token.opened(for: .roleKey)),
      Secret(",\"Expiration\":\"\(expiresAt)\"}\n"),
    ])
  }
}
