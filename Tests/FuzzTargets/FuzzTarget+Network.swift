import AcctModel
import Secrets
import AcctProtocol
import AcctRequests
import StrictJSON

/// A server whose callbacks and documents are read, made once.
private let server: AuthorizationServer? = {
  let document: JSON = [
    "issuer": "https://issuer.example", "token_endpoint": "https://issuer.example/token",
    "authorization_endpoint": "https://issuer.example/authorize",
    "authorization_response_iss_parameter_supported": true,
  ]
  guard let issuer = try? Issuer("https://issuer.example") else { return nil }
  return try? AuthorizationServer(document, for: issuer)
}()

func callbackViolation(_ bytes: [UInt8]) -> String? {
  guard let server else { return "no server to answer" }
  let request = AuthorizationRequest(
    clientID: "client",
    redirectURI: "http://127.0.0.1:1/callback",
    scope: nil,
    thumbprint: nil,
    random: Array(repeating: 0, count: AuthorizationRequest.randomCount)
  )
  switch AuthorizationResponse(text(bytes), to: request, from: server, redacting: .none) {
  case .foreign: return nil
  case .code, .refused, .untrusted:
    return text(bytes).contains("state=") || text(bytes).contains("%")
      ? nil : "an answer without the state that was sent"
  }
}

func challengeViolation(_ bytes: [UInt8]) -> String? {
  for challenge in AuthenticationChallenge.parse(text(bytes)) {
    guard !challenge.scheme.isEmpty, challenge.scheme == challenge.scheme.lowercased() else {
      return "a challenge without a scheme"
    }
  }
  let fields = [(name: "WWW-Authenticate", value: text(bytes))]
  let asked = try? ResourceChallenge(status: 401, fields: fields)
  let stepUp = StepUpChallenge(status: 403, fields: fields, redacting: .none)
  let words = (asked?.scope ?? []) + (stepUp.map { $0.scope + $0.acrValues } ?? [])
  guard words.allSatisfy(Scope.isWellFormed), stepUp?.maxAge ?? 0 >= 0 else {
    return "a challenge's word that can't be sent as one"
  }
  let nonce = DPoPNonce.learned(from: [("DPoP-Nonce", text(bytes))])
  guard nonce?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
    return "a nonce that could write header lines"
  }
  return nil
}

func metadataViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let issuer = try? Issuer("https://issuer.example") else { return nil }
  guard
    var documents = try? MetadataDocuments(
      ["issuer": "https://issuer.example", "token_endpoint": "https://issuer.example/token"],
      for: issuer,
      named: .remote,
      presentsCertificate: true
    )
  else { return "a first document that is not taken" }
  if let object = json.objectValue { documents.add(object) }
  let hasAlias = json.objectValue?["mtls_endpoint_aliases"] != nil
  guard let merged = try? documents.server(), hasAlias || merged.tokenEndpoint.path == "/token" else {
    return "a second document that replaces the first"
  }
  guard let server = try? AuthorizationServer(json, for: issuer) else { return nil }
  let isSafe = (server.endpoints + merged.endpoints).allSatisfy { $0.origin.scheme == .https || $0.origin.isLoopback }
  return isSafe ? nil : "an endpoint on plain http"
}

func deviceViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let flow = try? DeviceFlow(json, receivedAt: .epoch) else { return nil }
  return flow.interval > 0 ? nil : "a device flow that asks without a pause"
}

func dnsViolation(_ bytes: [UInt8]) -> String? {
  guard case .texts(let texts) = DNSAnswer(bytes) else { return nil }
  let size = texts.reduce(0) { $0 + $1.utf8.count }
  return size <= bytes.count ? nil : "more text than the answer has bytes"
}

func didDocumentViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let did = try? DID("did:plc:abcdefghijklmnopqrstuvwx") else { return nil }
  guard let document = try? DIDDocument(json, of: did) else { return nil }
  let origin = document.service
  return origin.scheme == .https || origin.isLoopback ? nil : "a data server on plain http"
}
