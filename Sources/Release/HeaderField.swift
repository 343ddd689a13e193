import AcctModel
package import Secrets
import Text

/// One header line; its value is a secret until it is printed or sent.
package struct HeaderField: Equatable, Sendable {
  package var name: String
  package var value: Secret

  package init(_ name: String, _ value: Secret) {
    self.name = name
    self.value = value
  }

  static func authorization(_ scheme: String, _ token: Token) -> HeaderField {
    HeaderField("Authorization", Secret(joining: [Secret("\(scheme) "), token.secret]))
  }

  /// A sealed session as the cookie that it came from.
  static func sessionCookie(_ session: Token) -> HeaderField {
    HeaderField("Cookie", Secret(joining: [Secret("sid="), session.secret]))
  }

  /// A static token in the form in which the user added it.
  init(_ header: StaticHeader, _ token: Token) {
    name = header.field
    value =
      switch header.form {
      case .bare, .query: token.secret
      case .scheme(let scheme): Secret(joining: [Secret(StaticHeader.beginning(scheme)), token.secret])
      case .basic(let user):
        Secret(joining: [Secret("Basic "), Secret(joining: [Secret("\(user):"), token.secret]).inBase64])
      case .userIsToken(let password):
        Secret(joining: [
          Secret("Basic "), Secret(joining: [token.secret, Secret(password.map { ":\($0)" } ?? "")]).inBase64,
        ])
      }
  }
}

extension Secret {
  /// Percent-encoded for any part of a URL (RFC 3986, section 2.1).
  var percentEncoded: Secret {
    withBytes { bytes in
      var text: [UInt8] = []
      // Room for all of it, so that no shorter copy is left behind unwiped.
      text.reserveCapacity(3 * bytes.count)
      for index in bytes.indices {
        if bytes[index].isUnreserved { text.append(bytes[index]) } else { text.append(percentEncoding: bytes[index]) }
      }
      return Secret(consuming: &text)
    }
  }

  /// Base64 of the bytes with the standard alphabet and padding (RFC 4648, section 4).
  package var inBase64: Secret {
    withBytes { bytes in
      var text = Base64URL.encodedBytes(bytes)
      defer { wipe(&text) }
      var padded: [UInt8] = []
      // Room for all of it, so that no shorter copy is left behind unwiped.
      padded.reserveCapacity(text.count + 2)
      for byte in text {
        switch byte {
        case UInt8(ascii: "-"): padded.append(UInt8(ascii: "+"))
        case UInt8(ascii: "_"): padded.append(UInt8(ascii: "/"))
        default: padded.append(byte)
        }
      }
      while !padded.count.isMultiple(of: 4) { padded.append(UInt8(ascii: "=")) }
      return Secret(consuming: &padded)
    }
  }
}
