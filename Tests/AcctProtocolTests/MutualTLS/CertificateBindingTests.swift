import AcctModel
import AcctProtocol
import Secrets
import StrictJSON
import Testing

@Suite("A token that is bound to a client certificate")
struct CertificateBindingTests {
  private let certificate = ClientCertificate(thumbprint: "own", endsAt: Timestamp(clamped: 2_000_000_000))

  /// A JWT with a `cnf` claim, or without one.
  private func token(_ confirmation: JSON?) -> String {
    var claims: JSONObject = ["sub": "alice"]
    claims["cnf"] = confirmation
    let parts: [JSON] = [["alg": "none"], .object(claims)]
    return parts.map { Base64URL.encode($0.serialized().span) }.joined(separator: ".") + "."
  }

  private func response(
    _ token: String,
    of type: String = "Bearer",
    boundTo key: String? = nil,
    _ certificate: ClientCertificate?
  ) throws(OAuthError) -> TokenResponse {
    let answer: JSON = ["access_token": .string(token), "token_type": .string(type)]
    return try TokenResponse(answer, boundTo: key, certificate: certificate) { $0 }
  }

  @Test("A token for the client's own certificate is a bearer token that is bound to it")
  func own() throws {
    let response = try response(token(["x5t#S256": "own"]), certificate)
    #expect(response.tokenType == .bearer && response.isCertificateBound == true)
    #expect(try self.response(token(nil), certificate).isCertificateBound == false)
    #expect(try self.response("opaque", certificate).isCertificateBound == nil)
  }

  @Test("A token for another certificate is rejected, and so is one for any where none was presented")
  func other() {
    #expect(throws: OAuthError.malformedAnswer(member: "cnf.x5t#S256")) {
      try response(token(["x5t#S256": "other"]), certificate)
    }
    #expect(throws: OAuthError.malformedAnswer(member: "cnf.x5t#S256")) {
      try response(token(["x5t#S256": "own"]), nil)
    }
  }

  @Test("A token that is bound to a key as well is no bearer token, and both are checked")
  func both() throws {
    let both = token(["jkt": "key", "x5t#S256": "own"])
    #expect(throws: OAuthError.tokenType("Bearer")) { try response(both, certificate) }
    #expect(try response(both, of: "DPoP", boundTo: "key", certificate).tokenType == .dpop)
    #expect(throws: OAuthError.malformedAnswer(member: "cnf.jkt")) {
      try response(both, of: "DPoP", boundTo: "another", certificate)
    }
  }

  @Test("A token of an account whose tokens were bound is rejected if it is not")
  func unbound() throws {
    var certificate = certificate
    certificate.isBound = true
    #expect(throws: OAuthError.malformedAnswer(member: "cnf.x5t#S256")) { try response(token(nil), certificate) }
    #expect(try response("opaque", certificate).isCertificateBound == nil)
  }

  @Test("Imported credentials are checked against the given certificate")
  func handoff() throws {
    let now = Timestamp(clamped: 1_800_000_000)
    let json: JSON = ["access_token": .string(token(["x5t#S256": "own"]))]
    let handoff = try Handoff(json, receivedAt: now, certificate: "own")
    #expect(handoff.isCertificateBound && handoff.tokenType == .bearer)
    #expect(throws: HandoffError.certificateBinding) { try Handoff(json, receivedAt: now, certificate: "other") }
    #expect(throws: HandoffError.certificateMissing) { try Handoff(json, receivedAt: now) }
  }
}
