import AcctModel
import StrictJSON

/// Typed access to metadata members; `null` is the same as not there.
struct MetadataMembers {
  private let document: JSONObject

  init(_ document: JSONObject) { self.document = document }

  func endpoint(_ endpoint: MetadataDocuments.Endpoint) throws(OAuthError.MetadataFlaw) -> HTTPURL? {
    let name = endpoint.rawValue
    guard let value = document[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformed(member: name) }
    do { return try HTTPURL(text) } catch .refusedURL(let refusal) {
      throw .refused(member: name, refusal)
    } catch {
      throw .malformed(member: name)
    }
  }

  func list(_ name: String) throws(OAuthError.MetadataFlaw) -> [String]? {
    guard let value = document[name], value != .null else { return nil }
    guard let elements = value.arrayValue else { throw .malformed(member: name) }
    return elements.compactMap(\.stringValue)
  }

  func isTrue(_ name: String) -> Bool { document[name] == .bool(true) }
}
