package import AcctModel
package import Secrets
import StrictJSON

/// A file that has a client's key: PEM, a JWK, or the JSON file of a service account.
package struct ClientKeyFile: Sendable {
  package let key: ClientKey
  /// The client that the file names, as a service account's does.
  package let clientID: String?
  /// The token endpoint that it names.
  package let tokenEndpoint: HTTPURL?

  /// `true` for a service account's file (Google's form, which others use, too).
  package var isServiceAccount: Bool { clientID != nil }

  /// Reads a file.
  package init(_ file: Secret) throws(ClientKeyError) {
    let first = file.withBytes { bytes in
      bytes.indices.first { !" \t\r\n".utf8.contains(bytes[$0]) }.map { bytes[$0] }
    }
    switch first {
    case UInt8(ascii: "-"): self.init(key: try ClientKey(pem: file), clientID: nil, nil)
    case UInt8(ascii: "{"):
      let json: JSON
      do { json = try file.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) } } catch {
        throw .jwk(.notJSON(error))
      }
      if let members = json.objectValue, members["kty"] == nil, members["private_key"] != nil {
        try self.init(serviceAccount: members)
      } else {
        self.init(key: try ClientKey(jwk: json), clientID: nil, nil)
      }
    default: throw .unknownForm
    }
  }

  private init(key: ClientKey, clientID: String?, _ tokenEndpoint: HTTPURL?) {
    self.key = key
    self.clientID = clientID
    self.tokenEndpoint = tokenEndpoint
  }

  /// `client_email`, `private_key` and `token_uri`, with the key's name in `private_key_id`.
  private init(serviceAccount members: JSONObject) throws(ClientKeyError) {
    func text(_ name: String) throws(ClientKeyError) -> String {
      guard let text = members[name]?.stringValue, !text.isEmpty else { throw .serviceAccount(member: name) }
      return text
    }
    let clientID = try text("client_email")
    guard let endpoint = try? HTTPURL(try text("token_uri")) else { throw .serviceAccount(member: "token_uri") }
    let pem = Secret(try text("private_key"))
    let key = try ClientKey(pem: pem, keyID: members["private_key_id"]?.stringValue)
    self.init(key: key, clientID: clientID, endpoint)
  }
}
