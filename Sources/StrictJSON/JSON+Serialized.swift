extension JSON {
  /// Writes the value as compact JSON in UTF-8.
  ///
  /// The same value always yields the same bytes: members stay in their order, numbers as they
  /// were written, and only what must be escaped is (RFC 8259, section 7).
  package func serialized() -> [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  private func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.literal.utf8)
    case .string(let text): write(quoted: text, to: &output)
    case .array(let elements):
      output.append(.openBracket)
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(.comma) }
        element.write(to: &output)
      }
      output.append(.closeBracket)
    case .object(let object):
      output.append(.openBrace)
      for (index, member) in object.enumerated() {
        if index > 0 { output.append(.comma) }
        write(quoted: member.name, to: &output)
        output.append(.colon)
        member.value.write(to: &output)
      }
      output.append(.closeBrace)
    }
  }

  private func write(quoted text: String, to output: inout [UInt8]) {
    output.append(.quote)
    for byte in text.utf8 {
      switch byte {
      case .quote, .backslash: output.append(contentsOf: [.backslash, byte])
      case 0x08: output.append(contentsOf: "\\b".utf8)
      case 0x09: output.append(contentsOf: "\\t".utf8)
      case 0x0A: output.append(contentsOf: "\\n".utf8)
      case 0x0C: output.append(contentsOf: "\\f".utf8)
      case 0x0D: output.append(contentsOf: "\\r".utf8)
      case 0x00..<0x20:
        output.append(contentsOf: "\\u00".utf8)
        let digits = String(byte, radix: 16)
        output.append(contentsOf: (digits.utf8.count == 1 ? "0" + digits : digits).utf8)
      default: output.append(byte)
      }
    }
    output.append(.quote)
  }
}
