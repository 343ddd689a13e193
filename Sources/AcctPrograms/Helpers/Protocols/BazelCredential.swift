import AcctProtocol
package import AcctModel
import Secrets

/// The credential helpers of Bazel and other build tools.
///
/// <https://github.com/EngFlow/credential-helper-spec>
package struct BazelCredential: HelperProtocol {
  package let task: HelperTask
  /// `true` for an address of HTTP; one of gRPC stands for POSTs to other paths.
  private let isHTTP: Bool

  /// Bazel asks for each server that it fetches from.
  package static let asksForAnyServer = true

  package static func exchange(for operation: [String]) -> HelperExchange { .whole }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard let operation = question.operation.first else { throw .operation(nil) }
    guard operation == "get" else { throw .operation(operation) }
    guard question.operation.count == 1 else { throw .arguments }
    var address = try HelperMembers(question.input).text("uri")
    // gRPC over TLS goes to the same server as https does.
    let scheme = "grpcs:"
    isHTTP = !address.lowercased().hasPrefix(scheme)
    if !isHTTP { address = "https:" + address.dropFirst(scheme.count) }
    task = .get(at: address)
  }

  package func accepts(_ form: CredentialForm) -> Bool {
    // Bazel sends lines alone.
    if case .query = form { return false }
    return isHTTP || form != .bound
  }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    let lines = try credential.fields.jsonObject { Secret(joining: [Secret("["), $0, Secret("]")]) }
    var parts = [Secret(#"{"headers":"#), lines]
    // Without an end Bazel keeps the lines for half an hour; a proof is for one request.
    if let end = credential.form == .bound ? credential.now : credential.expiresAt {
      parts.append(Secret(",\"expires\":\"\(end)\""))
    }
    return HelperAnswer(Secret(joining: parts + [Secret("}\n")]))
  }

  package var none: HelperAnswer { HelperAnswer(Secret("{}\n")) }
}
