import StrictJSON
import Text

extension Span<UInt8> {
  /// `true` for a text that begins as a JSON object does, after a byte order mark and blanks.
  var isJSONObject: Bool {
    for index in indices {
      switch self[index] {
      case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: continue
      case let byte: return byte == UInt8(ascii: "{")
      }
    }
    return false
  }
}

/// The members of a form (`application/x-www-form-urlencoded`), in which some servers answer; of those of one name the
/// last counts.
///
/// - Parameter bytes: A body that is not JSON.
/// - Returns: The members; `nil` for anything else, such as a page.
func formMembers(_ bytes: Span<UInt8>) -> JSONObject? {
  var object = JSONObject()
  var name: [UInt8]?
  var part: [UInt8] = []
  func end() -> Bool {
    guard let found = name else { return part.isEmpty }
    object[String(decoding: found, as: UTF8.self)] = .string(String(decoding: part, as: UTF8.self))
    (name, part) = (nil, [])
    return true
  }
  var index = 0
  while index < bytes.count {
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "&"): guard end() else { return nil }
    case UInt8(ascii: "=") where name == nil: (name, part) = (part, [])
    case UInt8(ascii: "%"):
      guard let escaped = bytes.percentEscape(at: index - 1) else { return nil }
      part.append(escaped)
      index += 2
    case UInt8(ascii: "+"): part.append(0x20)
    case 0x0A, 0x0D: continue
    case _ where byte.isASCIIAlphanumeric || "_-.".utf8.contains(byte): part.append(byte)
    case 0x21...0x7E where name != nil && byte != UInt8(ascii: "<"): part.append(byte)
    default: return nil
    }
  }
  return end() && object.count > 0 ? object : nil
}
