import Secrets
import Text

/// The form of a secret in a provider's store, which is printable ASCII without backslashes and outer blanks.
///
/// GNOME Keyring keeps a collection without a password as a text file. There a line break in a secret makes the file
/// unreadable for every program, and a backslash or an outer blank is read back as something else. A secret with such a
/// byte is stored with a prefix and as in RFC 3986, section 2.1; every other one as it is.
enum StoredForm {
  private static let prefix = Array("acct-percent:".utf8)

  /// The form that a secret is stored in.
  static func stored(_ secret: Secret) -> Secret {
    secret.withBytes { bytes in
      guard !isKept(bytes) else { return secret }
      var text: [UInt8] = []
      // In full, so that no reallocation leaves a copy behind.
      text.reserveCapacity(prefix.count + 3 * bytes.count)
      text += prefix
      for index in bytes.indices {
        let byte = bytes[index]
        if isPlain(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: " ") {
          text.append(byte)
        } else {
          text.append(percentEncoding: byte)
        }
      }
      return Secret(consuming: &text)
    }
  }

  /// The secret that is stored in a form; one that has not been made by ``stored(_:)`` is the secret itself.
  static func secret(_ stored: Secret) -> Secret {
    stored.withBytes { text in
      guard begins(text) else { return stored }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      var index = prefix.count
      while index < text.count {
        var byte = text[index]
        index += 1
        if byte == UInt8(ascii: "%") {
          guard let escaped = text.percentEscape(at: index - 1), !text[index].isASCIISmallLetter,
            !text[index + 1].isASCIISmallLetter
          else {
            wipe(&bytes)
            return stored
          }
          byte = escaped
          index += 2
        }
        bytes.append(byte)
      }
      return Secret(consuming: &bytes)
    }
  }

  /// `true` for a secret that every store keeps as it is, and that can't be taken for an encoded one.
  private static func isKept(_ bytes: Span<UInt8>) -> Bool {
    guard !begins(bytes) else { return false }
    let blank = UInt8(ascii: " ")
    guard bytes.isEmpty || bytes[0] != blank && bytes[bytes.count - 1] != blank else { return false }
    return bytes.indices.allSatisfy { isPlain(bytes[$0]) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool { 0x20...0x7E ~= byte && byte != UInt8(ascii: "\\") }

  private static func begins(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "a"), bytes.count >= prefix.count else { return false }
    return prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
  }
}
