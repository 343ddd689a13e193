import AcctEngine
import AcctModel
import AcctProtocol

/// A static token and how it is sent: the first line is the field, the second a scheme and a user, the
/// rest the file.
func staticTokenViolation(_ bytes: [UInt8]) -> String? {
  let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
  guard parts.count == 3, let token = try? TokenFile.token(in: Secret(parts[2])) else { return nil }
  let (field, word) = (text(Array(parts[0])), text(Array(parts[1])))
  for form in [StaticHeader.Form.bare, .scheme(word), .basic(user: word)] {
    guard let header = try? StaticHeader(field: field, form: form) else { continue }
    guard header.field.isHTTPToken else { return "a field that could end its line" }
    let isLine = header.value(of: token).withBytes { span in
      span.indices.allSatisfy { (0x20...0x7E).contains(span[$0]) }
    }
    guard isLine else { return "a value that could write header lines" }
    guard StaticHeader(json: header.json) == header else {
      return "a form that reads otherwise when written"
    }
  }
  return nil
}
