import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// An identity, or an address that it names, can't be trusted; nothing was stored.
  init(_ error: ATProtoError) {
    switch error {
    case .unresolvableHandle(let handle):
      self = .code("handleNotFound", .usage)
        .saying("handles like \(handle) are never resolved")
        .hint(
          handle.description.hasSuffix(".test")
            ? "ACCT_DNS_SERVER names a resolver that knows it" : nil
        )
    case .handleNotFound(let handle):
      self = .code("handleNotFound", .failed)
        .saying("no DID was found for the handle \(handle)")
        .hint("check its spelling; it needs a TXT record at _atproto.\(handle)")
    case .handleAmbiguous(let handle):
      self = .code("handleAmbiguous", .serverFailed).saying("two records of \(handle) name different DIDs")
    case .handleMalformed(let handle):
      self = .code("handleMalformed", .serverFailed).saying("the record of \(handle) is not a DID")
    case .handleNotConfirmed(let handle, let did):
      self = .code("handleNotConfirmed", .serverFailed)
        .saying("\(handle) points to \(did), which does not name it as its handle")
        .hint("if that is you, `acct add \(did)`")
    case .unsupportedDID(let did):
      self = .code("unsupportedDID", .usage).saying("only did:plc and did:web are supported, not \(did)")
    case .didNotFound(let did): self = .code("didNotFound", .failed).saying("there is no DID document for \(did)")
    case .documentMismatch(let did):
      self = .code("documentMismatch", .serverFailed).saying("the document of \(did) is for another DID")
    case .documentMalformed(let did):
      self = .code("documentMalformed", .serverFailed).saying("the document of \(did) is malformed")
    case .noService(let did):
      self = .code("noService", .serverFailed)
        .saying("the document of \(did) names no data server")
    case .serviceRefused(let did):
      self = .code("urlRefused", .refused)
        .saying("refused: the data server of \(did) has an address that no credential may be sent to")
    case .protectedResource(let origin, let flaw):
      self = .code(flaw.code, .serverFailed)
        .saying("\(origin) does not name its authorization server: \(words(for: flaw))")
    case .server(let origin, let member):
      self = .code("serverLacks", .serverFailed)
        .saying("\(origin) does not offer \(member)")
    case .subjectMismatch(let expected?, let found?) where (try? DID(found)) != nil:
      self = .code("subjectMismatch", .refused)
        .saying("the server signed in \(found) instead of \(expected)")
        .hint(wrongPersonHint(found, expected.description))
    case .subjectMismatch(let expected, let found):
      let who = found.map(printable) ?? "no identity"
      self = .code("subjectMismatch", .serverFailed)
        .saying(
          expected.map { "the server signed in \(who) instead of \($0)" }
            ?? "the server signed in \(who), which is not a DID"
        )
    case .scopeMissing:
      self = .code("scopeMissing", .serverFailed)
        .saying("the server did not grant the scope atproto")
    case .issuerMismatch(let did, let issuer):
      self = .code("issuerMismatch", .serverFailed)
        .saying("\(issuer) signed in \(did), whose DID document names another server")
    }
  }
}

private func words(for flaw: ATProtoError.Flaw) -> String {
  switch flaw {
  case .status(let status): "it answered \(status)"
  case .notJSON: "its answer is not JSON"
  case .malformed: "its answer is malformed"
  case .foreign: "its answer is for another server"
  }
}
