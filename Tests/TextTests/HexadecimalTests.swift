import Testing
import Text

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  private let all = Array(0...UInt8.max)

  @Test("Every byte is spelled as the standard library spells it, and read back")
  func everyByte() {
    for byte in all {
      let digits = hex([byte])
      let expected = String(byte, radix: 16)
      #expect(digits == (byte < 16 ? "0" : "") + expected)
      #expect([UInt8](hex: digits, count: 1) == [byte])
    }
    #expect([UInt8](hex: hex(all), count: 256) == all)
    #expect(hex([]) == "")
    #expect([UInt8](hex: "", count: 0) == [])
  }

  @Test("A digit has its value in either case, and no other of the 256 bytes has one")
  func values() {
    let values: [String] = all.compactMap { byte in byte.hexadecimalValue.map { "\(Unicode.Scalar(byte))\($0)" } }
    #expect(
      values == [
        "00", "11", "22", "33", "44", "55", "66", "77", "88", "99", "A10", "B11", "C12", "D13", "E14", "F15", "a10",
        "b11", "c12", "d13", "e14", "f15",
      ]
    )
  }

  @Test(
    "Text of another length, in capitals, or with another character spells no bytes",
    arguments: ["", "0", "0001", "0G", "G0", "0A", "A0", " 0", "+1", "0x", "é"]
  )
  func malformed(text: String) { #expect([UInt8](hex: text, count: 1) == nil) }

  @Test("Two digits are read at an index in either case, and none past the end")
  func spelledAt() {
    let digits = "xaFg0"
    let span = digits.utf8Span.span
    #expect((0...6).map { span.byte(spelledAt: $0) } == [nil, 0xAF, nil, nil, nil, nil, nil])
  }
}
