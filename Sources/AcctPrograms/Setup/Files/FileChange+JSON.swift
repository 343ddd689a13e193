import AcctModel
import AcctProtocol
package import StrictJSON

extension FileChange {
  /// The form in which it is stored: a hunk is its first line's number, then its lines, of which a removed one is an array.
  package var json: JSON {
    let hunks = hunks.map { hunks in
      JSON.array(hunks.map { .array([Self.number($0.start)] + $0.lines.map(Self.json)) })
    }
    return [
      "before": JSON(before.map { Base64URL.encode($0.span) }), "after": JSON(after.map { Base64URL.encode($0.span) }),
      "salt": JSON(salt.isEmpty ? nil : Base64URL.encode(salt.span)), "hunks": hunks ?? .null,
      // An earlier version drops a record without them when it writes the file.
      "pieces": .array([]),
    ]
  }

  /// Parses the form in which it is stored; `nil` if it is malformed.
  package init?(_ json: JSON?) {
    guard let object = json?.objectValue else { return nil }
    before = object["before"]?.stringValue.flatMap(Self.bytes)
    after = object["after"]?.stringValue.flatMap(Self.bytes)
    salt = object["salt"]?.stringValue.flatMap(Self.bytes) ?? []
    // Earlier versions recorded pieces of the file.
    guard let stored = object["hunks"]?.arrayValue else {
      guard object["pieces"]?.arrayValue != nil else { return nil }
      return
    }
    var hunks: [Hunk] = []
    for hunk in stored {
      guard let members = hunk.arrayValue, let start = members.first?.numberValue?.integer.flatMap(Int.init(exactly:)),
        0...(1 << 20) ~= start
      else { return nil }
      let lines = members.dropFirst().compactMap(Self.line)
      guard lines.count == members.count - 1 else { return nil }
      hunks.append(Hunk(start: start, lines: lines))
    }
    self.hunks = hunks
  }

  private static func json(_ line: Line) -> JSON {
    switch line {
    case .kept(let mark): .string(" \(mark)")
    case .added(let mark): .string("+\(mark)")
    case .removed(let parts):
      .array(
        parts.map { part in
          switch part {
          case .text(let bytes): .string(Base64URL.encode(bytes.span))
          case .secret(let mark): .array([.string("\(mark)")])
          }
        }
      )
    }
  }

  private static func line(_ json: JSON) -> Line? {
    if let text = json.stringValue {
      guard let mark = UInt64(text.dropFirst()) else { return nil }
      return text.first == "+" ? .added(mark) : text.first == " " ? .kept(mark) : nil
    }
    let parts = json.arrayValue?.map { part -> Part? in
      if let text = part.stringValue { return bytes(text).map(Part.text) }
      return part.arrayValue?.first?.stringValue.flatMap { UInt64($0) }.map(Part.secret)
    }
    guard let parts, !parts.contains(nil) else { return nil }
    return .removed(parts.compactMap(\.self))
  }

  private static func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }
  private static func bytes(_ text: String) -> [UInt8]? { try? Base64URL.decode(text) }
}
