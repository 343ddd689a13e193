import Release
import AcctModel
import Secrets
import AcctProtocol
import StrictJSON

func jsonViolation(_ bytes: [UInt8]) -> String? {
  let json = try? JSON(parsing: bytes)
  guard isSame(json?.objectValue, try? JSONMembers(parsing: bytes)) else {
    return "members that read otherwise than their tree"
  }
  guard let json else { return nil }
  return (try? JSON(parsing: json.serialized())) == json
    ? nil : "JSON that reads otherwise when written"
}

private func isSame(_ tree: JSONObject?, _ members: JSONMembers?) -> Bool {
  guard let tree, let members else { return tree == nil && members == nil }
  var guess = 0
  return tree.allSatisfy { members.value(of: $0.name, near: &guess) == $0.value }
}

func jwtViolation(_ bytes: [UInt8]) -> String? {
  guard let token = try? Token(Secret(bytes)), let jwt = try? JWT.decode(token) else { return nil }
  // What is decoded is only ever looked at; the token itself must stay what it was.
  guard token.secret == Secret(bytes) else { return "a token that was changed in reading" }
  _ = jwt
  return bytes.count(where: { $0 == UInt8(ascii: ".") }) == 2 ? nil : "a JWT without 3 segments"
}

func idTokenViolation(_ bytes: [UInt8]) -> String? {
  guard let token = try? IDToken(Secret(bytes)) else { return nil }
  guard token.token.secret == Secret(bytes) else { return "an ID token that was changed in reading" }
  guard !token.issuer.isEmpty, !token.subject.isEmpty else { return "an ID token of an empty issuer or user" }
  guard (try? token.check(after: nil, for: "client", at: .epoch)) != nil else { return nil }
  guard token.isFor("client"), let end = token.lifetime.expiresAt else { return "a wrong ID token that passes" }
  guard (try? token.check(after: token, for: "client", at: .epoch)) != nil else { return "an ID token unlike itself" }
  return end.seconds(since: .epoch) > -301 ? nil : "an ID token that has ended and passes"
}

func jwkViolation(_ bytes: [UInt8]) -> String? {
  guard let key = try? DPoPKey(privateJWK: Secret(bytes)) else { return nil }
  let again = try? DPoPKey(privateJWK: key.item)
  return again?.thumbprint == key.thumbprint ? nil : "a key that reads otherwise when written"
}

func handoffViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let handoff = try? Handoff(json, receivedAt: .epoch) else { return nil }
  let isLine = handoff.accessToken.secret.withBytes { span in
    span.indices.allSatisfy { (0x21...0x7E).contains(span[$0]) }
  }
  guard isLine else { return "a token that could write header lines" }
  guard handoff.origins.allSatisfy({ $0.scheme == .https || $0.isLoopback }) else {
    return "an origin that is plain http beyond loopback"
  }
  return (handoff.tokenType == .dpop) == (handoff.key != nil) ? nil : "a bound token without key"
}
