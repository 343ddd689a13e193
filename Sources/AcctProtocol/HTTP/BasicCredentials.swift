import AcctModel
package import Secrets

/// A name and a password in an `Authorization` field (RFC 7617).
package enum BasicCredentials {
  /// The field's value, `Basic …`.
  ///
  /// - Parameters:
  ///   - name: Without a colon, which ends it.
  ///   - password: The password.
  /// - Returns: The value.
  package static func value(_ name: Secret, _ password: Secret) -> Secret {
    let pair = Secret(joining: [name, Secret(":"), password])
    var text = pair.withBytes { base64($0) }
    return Secret(joining: [Secret("Basic "), Secret(consuming: &text)])
  }

  /// The field's value for a client and its secret, both form-encoded first (RFC 6749, section 2.3.1).
  package static func value(client: String, secret: Secret) -> Secret {
    value(FormBody.encoded(Secret(client)), FormBody.encoded(secret))
  }

  /// Base64 with padding (RFC 4648, section 4).
  private static func base64(_ bytes: Span<UInt8>) -> [UInt8] {
    var text = Base64URL.encodedBytes(bytes).map { character in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: character
      }
    }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return text
  }
}
