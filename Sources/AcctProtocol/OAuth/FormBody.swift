package import AcctModel
package import Secrets
package import Release
import Text

/// Parameters as `application/x-www-form-urlencoded`, every byte outside the unreserved set
/// percent-encoded (RFC 6749, appendix B).
package struct FormBody: Sendable {
  private var bytes: [UInt8] = []
  private var hasScope = false

  package init() {}

  /// The media type to send it with.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// Adds a parameter that is no secret; `nil` adds nothing.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    add(name, Secret(value))
  }

  /// Adds parameters of the user's; a scope only if the form has none of acct's.
  package mutating func add(_ parameters: [RequestParameter]) {
    for parameter in parameters where parameter.name != "scope" || !hasScope { add(parameter.name, parameter.value) }
  }

  /// A text as it stands in a form.
  package static func encoded(_ text: Secret) -> Secret {
    var form = FormBody()
    form.encode(text)
    return Secret(consuming: &form.bytes)
  }

  /// Adds a parameter.
  package mutating func add(_ name: String, _ value: Secret) {
    if name == "scope" { hasScope = true }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    encode(Secret(name))
    bytes.append(UInt8(ascii: "="))
    encode(value)
  }

  /// Adds a token, which goes where the whole form is released to.
  package mutating func add(_ name: String, _ token: Token) { add(name, token.opened(for: .form)) }

  private mutating func encode(_ text: Secret) {
    text.withBytes { span in
      for index in span.indices {
        let byte = span[index]
        if byte.isUnreserved { bytes.append(byte) } else { bytes.append(percentEncoding: byte) }
      }
    }
  }

  /// The body, wiped when it is done with.
  package func secret() -> Secret { Secret(bytes) }

  /// The form as text, for the query of a URL that a browser opens.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
