/// Bytes in base64 with padding (RFC 4648, section 4), by another implementation than acct's.
package func base64(_ bytes: some Collection<UInt8>) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var (rest, text) = (bytes[...], "")
  while !rest.isEmpty {
    let group = rest.prefix(3)
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0..<4 { text.append(place > group.count ? "=" : alphabet[bits >> (18 - 6 * place) & 63]) }
    rest = rest.dropFirst(3)
  }
  return text
}

/// Text in base64 of its UTF-8.
package func base64(_ text: String) -> String { base64(text.utf8) }
