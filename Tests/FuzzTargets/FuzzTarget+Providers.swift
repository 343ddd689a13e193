import AcctEngine
import AcctModel
import AcctProtocol
import StrictJSON

func providerViolation(_ bytes: [UInt8]) -> String? {
  guard let provider = try? Provider(parsing: bytes, name: "p") else { return nil }
  guard (provider.key != nil) == (provider.kind == .key) else {
    return "a key without its kind, or the kind without a key"
  }
  if let key = provider.key {
    guard StaticHeader(json: key.sentAs.json) == key.sentAs else { return "a form that an account can't keep" }
    guard !provider.origins.isEmpty else { return "a key that goes nowhere" }
  }
  for typed in ["p", "p:host.example", "p:host.example:8443/main", "p:tenant"] {
    guard let name = ProviderName(typed), let resolved = try? provider.resolved(for: name) else { continue }
    let origins =
      resolved.origins + resolved.endpoints.values.map(\.origin)
      + [resolved.issuer?.url.origin].compactMap(\.self)
    guard origins.allSatisfy({ $0.scheme == .https || $0.isLoopback }) else { return "an address on plain http" }
    guard resolved.endpoints.count == provider.endpoints.count, resolved.origins.count == provider.origins.count
    else { return "an address that was read and can't be put together" }
    guard resolved.endpoints.values.allSatisfy({ $0.query == nil }) else { return "an endpoint with a query" }
    let template = resolved.issuerTemplate.flatMap { try? HTTPURL($0.text.replacing("{tenantid}", with: "a")) }
    let home =
      resolved.issuer?.url.origin ?? template?.origin ?? resolved.endpoints[.authorization]?.origin
      ?? resolved.endpoints[.deviceAuthorization]?.origin
    guard provider.kind == .oauth, let home else { continue }
    for (name, endpoint) in resolved.endpoints where endpoint.origin != home {
      guard name == .userinfo, resolved.origins.contains(endpoint.origin) else {
        return "an endpoint of another server"
      }
    }
  }
  return nil
}

func registrationViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes) else { return nil }
  let redirect = "http://127.0.0.1/callback"
  let request = ClientRegistration(redirects: [redirect], scope: nil, usesDeviceFlow: false, authentication: .none)
  guard let client = try? RegisteredClient(json, to: request) else { return nil }
  guard (1...4096).contains(client.clientID.utf8.count), client.clientID.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
  else { return "an identifier that can't be sent" }
  if let access = client.access {
    let read = RegistrationAccess(access.item)
    guard read?.url == access.url, read?.token == access.token else { return "an access that reads otherwise" }
  }
  return (client.secret != nil) == (client.authentication != .none)
    ? nil : "a secret without a use, or a use without a secret"
}

func clientBookViolation(_ bytes: [UInt8]) -> String? {
  guard let file = (try? JSON(parsing: bytes))?.objectValue else { return nil }
  let book = ClientBook(file)
  return (try? JSON(parsing: book.encode()))?.objectValue.map(ClientBook.init) == book
    ? nil : "clients that read otherwise when written"
}
