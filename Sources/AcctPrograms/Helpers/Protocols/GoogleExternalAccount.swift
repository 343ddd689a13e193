package import AcctModel
import Secrets
import StrictJSON

/// The executable-sourced credentials of Google's libraries, version 1 of their answer.
///
/// The question is in the environment. The libraries parse standard output together with standard error, at exit status
/// 0 only, so a failure is an answer as well. <https://google.aip.dev/auth/4117>
package struct GoogleExternalAccount: HelperProtocol {
  package let task = HelperTask.identity
  package let wantsIDToken = true
  /// The type as the configuration names it.
  private let tokenType: String
  private let file: String?
  private let isInteractive: Bool

  private static let types = ["id_token", "jwt"].map { "urn:ietf:params:oauth:token-type:\($0)" }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard question.operation.isEmpty else { throw .arguments }
    func stated(_ name: String) -> String? { question.variable("GOOGLE_EXTERNAL_ACCOUNT_\(name)") }
    // Nothing is revoked for a program that is done with a token of some minutes.
    guard stated("REVOKE") != "1" else { throw .operation("revoke") }
    tokenType = stated("TOKEN_TYPE") ?? Self.types[0]
    guard Self.types.contains(tokenType) else { throw .value("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE") }
    file = stated("OUTPUT_FILE")
    isInteractive = stated("INTERACTIVE") == "1"
  }

  package func accepts(_ form: CredentialForm) -> Bool { true }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    let end = credential.expiresAt.map { #","expiration_time":\#($0.secondsSince1970)"# } ?? ""
    let start = #"{"version":1,"success":true,"token_type":"\#(tokenType)","id_token":"#
    var answer = HelperAnswer(
      Secret(joining: [Secret(start), try OutputFormat.json.written(credential.token), Secret("\(end)}\n")])
    )
    // One without its end would count as past, and be read for nothing.
    if credential.expiresAt != nil { answer.file = file }
    answer.isForFileAlone = isInteractive && answer.file != nil
    return answer
  }

  package static func failure(code: String, message: String) -> HelperAnswer? {
    let json: JSON = ["version": 1, "success": false, "code": .string(code), "message": .string(message)]
    return HelperAnswer(Secret(String(decoding: json.serialized(), as: UTF8.self) + "\n"))
  }
}
