import AcctProtocol

// The exact check that failed lets a script tell an attack from a server that is set up badly, so
// each has a code of its own.

extension OAuthError {
  /// The code of the error.
  var code: String {
    switch self {
    case .noMetadata: "noMetadata"
    case .metadata(.notJSON): "metadataNotJSON"
    case .metadata(.issuer): "metadataIssuer"
    case .metadata(.refused): "endpointRefused"
    case .metadata(.missing), .metadata(.malformed): "metadataMalformed"
    case .tokenType: "tokenType"
    case .idToken: "idToken"
    case .unsupported, .notJSON, .malformedAnswer, .refused, .unexplained, .redirected: "serverAnswer"
    }
  }
}

extension AuthorizationResponse.Distrust {
  /// The code of the error.
  var code: String {
    switch self {
    case .issuerMissing: "callbackIssuerMissing"
    case .issuerMismatch: "callbackIssuer"
    case .empty: "callbackEmpty"
    }
  }
}

extension ATProtoError.Flaw {
  /// The code of the error about a data server's metadata.
  var code: String {
    switch self {
    case .status: "noResourceMetadata"
    case .notJSON: "resourceMetadataNotJSON"
    case .malformed: "resourceMetadataMalformed"
    case .foreign: "resourceMetadataForeign"
    }
  }
}
