package import AcctModel
import Secrets
import Text

/// The protocol of Terraform's credentials helpers, which OpenTofu speaks, too.
///
/// <https://developer.hashicorp.com/terraform/internals/credentials-helpers>
package struct TerraformCredentials: HelperProtocol {
  package let task: HelperTask
  private let isGet: Bool

  /// Terraform asks for each host that it talks to.
  package static var asksForAnyServer: Bool { true }

  package static var keeper: Account.KeepingProgram? { .terraform }

  package static var showsFailures: Bool { true }

  package static func exchange(for operation: [String]) -> HelperExchange {
    operation.first == "store" ? .whole : .silent
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard let operation = question.operation.first else { throw .operation(nil) }
    guard ["get", "store", "forget"].contains(operation) else { throw .operation(operation) }
    guard question.operation.count > 1 else { throw .missing("HOST") }
    guard question.operation.count == 2 else { throw .arguments }
    isGet = operation == "get"
    var secret = Secret("")
    if operation == "store" {
      let members = try HelperMembers(question.input)
      // Terraform would miss what is not kept.
      try members.allow("token")
      secret = Secret(try members.text("token"))
    }
    do {
      let target = HelperTarget(HTTPURL(try Self.origin(question.operation[1])))
      task =
        switch operation {
        case "store": .store(target, user: nil, secret)
        case "forget": .forget(target)
        default: .get(target)
        }
    } catch {
      task = .unusable(error)
    }
  }

  /// A host's services get the token, which its discovery document names.
  package var reach: HelperReach { .named }

  /// Terraform sends the token as a bearer token.
  package func accepts(_ form: CredentialForm) -> Bool { form.isBearer }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    let token = try OutputFormat.json.written(credential.token)
    return HelperAnswer(Secret(joining: [Secret(#"{"token":"#), token, Secret("}\n")]))
  }

  /// A login or a logout that fails is something else than a token that is not there.
  package var none: HelperAnswer { isGet ? HelperAnswer(Secret("{}\n")) : HelperAnswer(isSuccess: false) }

  /// A host in the form for comparison: its name in ASCII, and the port unless that is 443.
  private static func origin(_ host: String) throws(ParseError) -> Origin {
    guard host.utf8.allSatisfy({ $0.isVisibleASCII && $0 != UInt8(ascii: "/") }) else { throw .url }
    return try Origin(.https, authority: host)
  }
}
