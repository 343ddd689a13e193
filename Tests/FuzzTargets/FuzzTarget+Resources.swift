import Release
import AcctModel
import Secrets
import AcctProtocol
import StrictJSON

func resourceViolation(_ bytes: [UInt8]) -> String? {
  guard let document = (try? JSON(parsing: bytes))?.objectValue,
    let resource = try? ResourceIndicator("https://api.example/v1"),
    let place = ResourceMetadata.places(for: resource).last
  else { return nil }
  guard let metadata = try? ResourceMetadata(document, of: resource, at: place) else { return nil }
  guard !metadata.issuers.isEmpty,
    metadata.issuers.allSatisfy({ $0.url.origin.scheme == .https || $0.url.origin.isLoopback })
  else { return "a server on plain http, or none" }
  guard metadata.scopes.allSatisfy(Scope.isWellFormed) else { return "a scope of several words" }
  let stated = document["resource"]?.stringValue ?? ""
  return ["https://api.example/v1", "https://api.example"].contains { stated.lowercased().hasPrefix($0) }
    ? nil : "another resource's description"
}

func secondTokensViolation(_ bytes: [UInt8]) -> String? {
  guard let tokens = try? SecondTokens(Secret(bytes)) else { return nil }
  guard tokens.tokens.count <= SecondTokens.limit else { return "more tokens than are kept" }
  guard let again = try? SecondTokens(tokens.item), again.item == tokens.item else {
    return "second tokens that change when they are written"
  }
  return nil
}
