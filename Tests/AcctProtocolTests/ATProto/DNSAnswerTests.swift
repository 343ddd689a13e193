import AcctProtocol
import Testing

@Suite("DNS answers")
struct DNSAnswerTests {
  /// A message with one question for `a.b`, and these records in wire format.
  private func message(flags: [UInt8] = [0x81, 0x80], _ records: [[UInt8]]) -> [UInt8] {
    let question: [UInt8] = [1, 0x61, 1, 0x62, 0, 0, 16, 0, 1]
    return [0x12, 0x34] + flags + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question + records.flatMap { $0 }
  }

  /// A record whose name is a pointer to the question's.
  private func record(type: UInt8 = 16, _ data: [UInt8]) -> [UInt8] {
    [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
  }

  private func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  @Test("A DNS answer contains the texts of its TXT records, each joined from its strings")
  func texts() {
    let records = [record(type: 5, [0xC0, 12]), record(string("did=did:") + string("plc:x")), record(string(""))]
    #expect(DNSAnswer(message(records)) == .texts(["did=did:plc:x", ""]))
  }

  @Test("A DNS answer without a TXT record, or for a missing name, is empty")
  func none() {
    #expect(DNSAnswer(message([])) == .none)
    #expect(DNSAnswer(message(flags: [0x81, 0x83], [])) == .none)
  }

  @Test("A DNS answer with an error code is a failure and not an empty answer")
  func refused() {
    #expect(DNSAnswer(message(flags: [0x81, 0x82], [])) == .failed(code: 2))
  }

  @Test("A DNS answer cut anywhere is malformed, and is never read beyond its end")
  func truncated() {
    let whole = message([record(string("did=did:plc:x"))])
    for length in 0..<whole.count {
      #expect(DNSAnswer(Array(whole.prefix(length))) == .malformed, "\(length)")
    }
  }

  @Test("A DNS answer with a string longer than its record is malformed")
  func overlong() {
    #expect(DNSAnswer(message([record([9, 0x61])])) == .malformed)
  }

  @Test("A DNS message that is a question is malformed")
  func question() {
    #expect(DNSAnswer(message(flags: [0x01, 0x00], [])) == .malformed)
  }
}
