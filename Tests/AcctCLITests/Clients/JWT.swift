import AcctModel
import AcctProtocol
import StrictJSON

/// A JWT with these claims, unsigned.
func jwt(_ claims: JSON) -> String {
  let parts: [JSON] = [["alg": "none"], claims]
  return parts.map { Base64URL.encode($0.serialized().span) }.joined(separator: ".") + "."
}
