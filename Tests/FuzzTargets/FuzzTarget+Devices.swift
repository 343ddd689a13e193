import KeyDevices

func pkcs11URIViolation(_ bytes: [UInt8]) -> String? {
  guard let uri = try? PKCS11URI(text(bytes)) else { return nil }
  let written = uri.description
  guard written.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
    return "a URI with characters that none can have"
  }
  guard !written.contains("pin-value") else { return "a URI with a PIN" }
  guard uri.modulePath?.hasPrefix("/") != false, uri.pinFile?.hasPrefix("/") != false else { return "a relative path" }
  // Each byte may become three, and a short attribute gets its scheme.
  guard written.utf8.count <= 3 * 4096 else { return "a URI without bounds" }
  // What is longer when it is written is read again only up to the limit.
  guard written.utf8.count <= 4096 else { return nil }
  return (try? PKCS11URI(written)) == uri ? nil : "a URI that reads otherwise when written"
}
