import AcctModel
import Secrets
import AcctProtocol

/// A file with a client's key, in any of its forms.
func clientKeyViolation(_ bytes: [UInt8]) -> String? {
  guard let file = try? ClientKeyFile(Secret(bytes)) else { return nil }
  guard let again = try? ClientKey(privateJWK: file.key.privateJWK) else {
    return "a key that can't be read when written"
  }
  guard again.privateJWK == file.key.privateJWK, again.algorithm == file.key.algorithm else {
    return "a key that reads otherwise when written"
  }
  return file.isServiceAccount == (file.tokenEndpoint != nil)
    ? nil : "a service account without its server"
}

/// A file with a client's certificate and its key.
func certificateViolation(_ bytes: [UInt8]) -> String? {
  let file = Secret(bytes)
  if let certified = try? CertifiedKey(certificate: file, key: file) {
    guard let again = try? CertifiedKey(certificate: certified.certificate, key: certified.keyItem) else {
      return "a certificate or a key that can't be read when written"
    }
    guard again.certificate == certified.certificate, again.keyItem == certified.keyItem,
      again.thumbprint == certified.thumbprint, again.endsAt == certified.endsAt
    else { return "a certificate or a key that reads otherwise when written" }
    guard (try? CertifiedKey.thumbprint(of: file)) == certified.thumbprint else { return "two thumbprints" }
  }
  return nil
}

/// An address on this machine that a browser is sent back to.
func redirectViolation(_ bytes: [UInt8]) -> String? {
  guard let redirect = try? LoopbackRedirect(text(bytes)) else { return nil }
  let written = redirect.text(port: 8080)
  guard let url = try? HTTPURL(written), url.origin.isLoopback, url.origin.port == 8080, url.path == redirect.path
  else { return "an address that leads elsewhere" }
  return (try? LoopbackRedirect(written))?.tail == redirect.tail
    ? nil : "an address that reads otherwise when written"
}

/// A parameter of the user's.
func parameterViolation(_ bytes: [UInt8]) -> String? {
  guard let parameter = try? RequestParameter(text(bytes)) else { return nil }
  guard !RequestParameter.own.contains(parameter.name.lowercased()) else { return "a parameter of the protocol" }
  var form = FormBody()
  form.add([parameter])
  return form.openedText.utf8.contains { $0 == 0x26 || $0 <= 0x20 || $0 >= 0x7F }
    ? "a parameter that is several" : nil
}
