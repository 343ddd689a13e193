import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// A resource server does not lead to an authorization server.
  init(_ flaw: ResourceFlaw, _ origin: Origin) {
    switch flaw {
    case .noMetadata(let status):
      self = .code("noResourceMetadata", .serverFailed)
        .saying("\(origin) does not say which server signs in to it (it answered \(status))")
        .hint(issuerHint)
    case .challenge(let parameter):
      self = .code("resourceChallenge", .serverFailed)
        .saying("\(origin) asks for a sign-in with a bad \(parameter)")
        .hint(parameter == "scope" ? nil : issuerHint)
    case .resource(let expected, let found?):
      self = .code("resourceMetadataForeign", .serverFailed)
        .saying("\(origin) describes the resource \(printable(found)) instead of \(printable(expected))")
        .hint("give --resource exactly as the server writes it, if you trust that resource")
    case .resource(let expected, nil):
      self = .code("resourceMetadataForeign", .serverFailed)
        .saying("\(origin) does not describe the resource \(printable(expected))")
        .hint(issuerHint)
    case .malformed(let member):
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) describes itself with a bad \(member)")
        .hint(issuerHint)
    case .refused(let member, _):
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) names in \(member) a URL that no credential may be sent to")
    case .noServer:
      self = .code("resourceMetadataMalformed", .serverFailed)
        .saying("\(origin) names no server that signs in to it")
        .hint(issuerHint)
    case .severalServers(let issuers):
      self = .code("severalIssuers", .usage)
        .saying("\(origin) trusts several servers: \(issuers.map(printable).joined(separator: ", "))")
        .hint("choose one with --issuer, beside --resource")
    case .signInElsewhere(let elsewhere):
      self = .code("issuerElsewhere", .serverFailed)
        .saying("\(origin), which the resource names, signs in at \(elsewhere), and does not mark its answers")
        .hint("if you trust \(origin), name it with --issuer, beside --resource")
    }
  }
}

private let issuerHint = "--issuer URL, beside --resource, names the server to sign in at"
