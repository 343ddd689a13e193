import AcctEngine
import AcctModel
import AcctProtocol

extension ErrorMessage {
  /// A resource server does not lead to an authorization server.
  init(_ flaw: ResourceFlaw, _ origin: Origin) {
    switch flaw {
    case .noMetadata(let status):
      self.init(
        "noResourceMetadata",
        .serverFailed,
        "\(origin) does not say which server signs in to it (it answered \(status))",
        hint: issuerHint
      )
    case .challenge(let parameter):
      self.init(
        "resourceChallenge",
        .serverFailed,
        "\(origin) asks for a sign-in with a bad \(parameter)",
        hint: parameter == "scope" ? nil : issuerHint
      )
    case .resource(let expected, let found?):
      self.init(
        "resourceMetadataForeign",
        .serverFailed,
        "\(origin) describes the resource \(printable(found)) instead of \(printable(expected))",
        hint: "give --resource exactly as the server writes it, if you trust that resource"
      )
    case .resource(let expected, nil):
      self.init(
        "resourceMetadataForeign",
        .serverFailed,
        "\(origin) does not describe the resource \(printable(expected))",
        hint: issuerHint
      )
    case .malformed(let member):
      self.init(
        "resourceMetadataMalformed",
        .serverFailed,
        "\(origin) describes itself with a bad \(member)",
        hint: issuerHint
      )
    case .refused(let member, _):
      self.init(
        "resourceMetadataMalformed",
        .serverFailed,
        "\(origin) names in \(member) a URL that no credential may be sent to"
      )
    case .noServer:
      self.init(
        "resourceMetadataMalformed",
        .serverFailed,
        "\(origin) names no server that signs in to it",
        hint: issuerHint
      )
    case .severalServers(let issuers):
      self.init(
        "severalIssuers",
        .usage,
        "\(origin) trusts several servers: \(issuers.map(printable).joined(separator: ", "))",
        hint: "choose one with --issuer, beside --resource"
      )
    case .signInElsewhere(let elsewhere):
      self.init(
        "issuerElsewhere",
        .serverFailed,
        "\(origin), which the resource names, signs in at \(elsewhere), and does not mark its answers",
        hint: "if you trust \(origin), name it with --issuer, beside --resource"
      )
    }
  }
}

private let issuerHint = "--issuer URL, beside --resource, names the server to sign in at"
