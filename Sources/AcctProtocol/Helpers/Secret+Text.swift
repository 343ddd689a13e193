package import AcctModel

extension Secret {
  /// The bytes as text, for what is no secret, or what standard output was asked for.
  package var shownText: String { withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) } }

  /// The bytes as a JSON string in its quotes (RFC 8259, section 7), without a copy that is not wiped.
  ///
  /// They are UTF-8: a token, a header line's value, a password.
  package var asJSON: Secret {
    withBytes { bytes in
      var text: [UInt8] = []
      // Room for all of it, so that no shorter copy is left behind unwiped.
      text.reserveCapacity(bytes.count * 6 + 2)
      text.append(UInt8(ascii: "\""))
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          text.append(UInt8(ascii: "\\"))
          text.append(bytes[index])
        case let control where control < 0x20:
          text.append(contentsOf: control < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
          text.append(UInt8(ascii: "0") + (control & 0xF) + (control & 0xF > 9 ? 39 : 0))
        case let other: text.append(other)
        }
      }
      text.append(UInt8(ascii: "\""))
      return Secret(consuming: &text)
    }
  }
}
