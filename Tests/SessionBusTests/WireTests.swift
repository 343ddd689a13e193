import AcctModel
import SessionBus
import Testing

/// What comes over the bus is believed only as far as its own lengths and types hold together.
@Suite("A message on the session bus")
struct WireTests {
  /// A reply to call 5 from `:1.7`, with one string, as a machine of this byte order sends it.
  private static func reply(bigEndian: Bool) -> [UInt8] {
    func number(_ value: UInt8) -> [UInt8] { bigEndian ? [0, 0, 0, value] : [value, 0, 0, 0] }
    let fields: [UInt8] =
      [5, 1, 0x75, 0] + number(5)
      + [7, 1, 0x73, 0] + number(4) + Array(":1.7".utf8) + [0, 0, 0, 0]
      + [8, 1, 0x67, 0, 1, 0x73, 0]
    return [bigEndian ? 0x42 : 0x6C, 2, 1, 1] + number(8) + number(9) + number(UInt8(fields.count))
      + fields + [0] + number(3) + Array("yes".utf8) + [0]
  }

  private static var call: BusCall<String> {
    BusCall(path: "/a", interface: "b.c", method: "d", answerSignature: "s") {
      reader,
      bytes throws(BusError) in try reader.string(in: bytes)
    }
  }

  @Test("is read in either byte order", arguments: [false, true])
  func byteOrders(bigEndian: Bool) throws {
    let message = try BusMessage(Secret(Self.reply(bigEndian: bigEndian)))
    #expect(message.sender == ":1.7")
    #expect(message.replySerial == 5)
    #expect(message.errorName == nil)
    #expect(try message.answer(to: Self.call) == "yes")
  }

  @Test("of another type than the answer's is refused")
  func otherType() throws {
    let message = try BusMessage(Secret(Self.reply(bigEndian: false)))
    let call = BusCall(path: "/a", interface: "b.c", method: "d", answerSignature: "u") {
      reader,
      bytes throws(BusError) in try reader.uint32(in: bytes)
    }
    #expect(throws: BusError.malformed) { try message.answer(to: call) }
  }

  @Test("that ends early, or goes on, is refused")
  func wrongLengths() {
    let whole = Self.reply(bigEndian: false)
    for count in whole.indices {
      #expect(throws: BusError.malformed) { try BusMessage(Secret(whole.prefix(count))) }
    }
    #expect(throws: BusError.malformed) { try BusMessage(Secret(whole + [0])) }
  }

  @Test("with any byte changed is read or refused, and never read beyond its end")
  func changedBytes() {
    let whole = Self.reply(bigEndian: false)
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = whole
        changed[index] = value
        // A crash would end the run; an answer, or a refusal, is all that is wanted.
        _ = try? BusMessage(Secret(changed)).answer(to: Self.call)
      }
    }
  }

  @Test("that we send begins each value where the specification says")
  func alignment() {
    var arguments = WireWriter()
    arguments.byte(1)
    arguments.array(alignedTo: 8) { entries in
      entries.align(8)
      entries.string("a")
      entries.string("b")
    }
    let call = BusCall(
      path: "/a",
      interface: "b.c",
      method: "d",
      signature: "ya{ss}",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
    let body: [UInt8] = [1, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 1, 0, 0, 0, 98, 0]
    let message = call.message(serial: 1, to: ":1.7")
    #expect(message.count % 8 == body.count % 8)
    // The test machines are little-endian, as the vector is.
    #expect(Array(message.suffix(body.count)) == body)
  }
}
