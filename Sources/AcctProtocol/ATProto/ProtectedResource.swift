package import AcctModel
package import StrictJSON

/// The authorization server that a resource server trusts (RFC 9728), as AT Protocol requires it.
package enum ProtectedResource {
  /// The address of a data server's metadata.
  package static func url(of server: Origin) -> HTTPURL? {
    try? HTTPURL("\(server)/.well-known/oauth-protected-resource")
  }

  /// Reads the metadata of `server`.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - server: The server that the document must speak for.
  /// - Returns: The one authorization server; its identifier is an origin.
  /// - Throws: ``ATProtoError/protectedResource(_:_:)``.
  package static func issuer(in json: JSON, of server: Origin) throws(ATProtoError) -> Issuer {
    let document = json.objectValue
    guard let resource = document?["resource"]?.stringValue else { throw .protectedResource(server, .malformed) }
    guard let origin = try? Origin(resource), origin == server else { throw .protectedResource(server, .foreign) }
    guard let servers = document?["authorization_servers"]?.arrayValue, servers.count == 1,
      let text = servers[0].stringValue, let issuer = try? Issuer(text), issuer.isOrigin
    else { throw .protectedResource(server, .malformed) }
    return issuer
  }
}

extension Issuer {
  /// `true` if the identifier is exactly an origin, as AT Protocol's are.
  fileprivate var isOrigin: Bool { description == url.origin.description }
}

extension AuthorizationServer {
  /// Checks that the server offers the features that AT Protocol requires.
  ///
  /// - Throws: ``ATProtoError/server(_:missing:)``.
  package func checkATProto() throws(ATProtoError) {
    let required: [(member: String, isThere: Bool)] = [
      ("pushed_authorization_request_endpoint", pushedRequestEndpoint != nil),
      ("authorization_endpoint", authorizationEndpoint != nil),
      ("dpop_signing_alg_values_supported", namesDPoP),
      ("code_challenge_methods_supported", offersS256),
      ("authorization_response_iss_parameter_supported", sendsIssuer),
      ("client_id_metadata_document_supported", readsClientMetadata),
    ]
    if let lacking = required.first(where: { !$0.isThere }) { throw .server(origin, missing: lacking.member) }
  }
}
